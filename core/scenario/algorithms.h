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

/// Whether `key` has a meaning for this algorithm: some are of one mode of a server only.
bool takes_key(const AlgorithmSpec& algorithm, const std::string& key);

/// Requires the name of one of known_algorithms().
const AlgorithmInfo& algorithm_info(const std::string& name);

}  // namespace tandem
