#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/scenario/scenario.h"

namespace tandem {

/// A value that a choice may take.
struct ChoiceValue {
  std::string text;  ///< as a scenario file has it
  std::function<void(AlgorithmSpec&)> set;
};

/// A key of the algorithm that tuning may change.
struct Choice {
  std::string key;
  std::vector<ChoiceValue> values;  ///< the scenario's own first
  std::size_t standard = 0;         ///< which of them the algorithm has by default
};

/// The choices that the scenario's algorithm has. Some change what is learned or what a worker has
/// to hold, not only how fast, and are left out unless `allowed` names them. Throws InputError
/// where it names another, and where nothing is left to choose.
std::vector<Choice> choices_of(const Scenario& scenario, const std::vector<std::string>& allowed);

}  // namespace tandem
