#pragma once

#include <string>
#include <vector>

namespace tandem {

struct AlgorithmSpec;

/// An algorithm as scenarios name it. How each is done, strategies/strategy.cc knows.
struct AlgorithmInfo {
  std::string name;
  std::string summary;            ///< one line, for `tandem list`
  std::vector<std::string> keys;  ///< of its map form, beside `name`
  /// Of the scenario's keys that need an algorithm's help ("clip_norm", "precision", ...), those it
  /// honours; of a scenario that has another one, it is refused.
  std::vector<std::string> honours = {};
  bool has_servers = false;  ///< members beside the workers
};

/// All of them, the simplest first. Collectives' names, which are short for an all_reduce over
/// them, are not among them.
const std::vector<AlgorithmInfo>& known_algorithms();

/// What leaves one of the algorithm's own keys without a meaning, such as "in mode synchronous";
/// empty where it has one.
std::string meaningless(const AlgorithmSpec& algorithm, const std::string& key);

/// Whether `key` is one of the algorithm's and has a meaning.
bool takes_key(const AlgorithmSpec& algorithm, const std::string& key);

/// Requires the name of one of known_algorithms().
const AlgorithmInfo& algorithm_info(const std::string& name);

}  // namespace tandem
