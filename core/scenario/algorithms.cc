#include "core/scenario/algorithms.h"

#include <algorithm>

namespace tandem {

const std::vector<AlgorithmInfo>& known_algorithms() {
  static const std::vector<AlgorithmInfo> kAlgorithms = {
      {"none", "one worker alone: the baseline of speed-ups", {}, {"clip_norm", "precision"}},
      {"all_reduce",
       "gradients are averaged by a collective",
       {"collective", "bucket", "overlap", "compression"},
       {"clip_norm", "precision"}},
      {"parameter_server",
       "servers hold the weights: pull them, push gradients",
       {"bucket", "overlap"}},
  };
  return kAlgorithms;
}

const AlgorithmInfo& algorithm_info(const std::string& name) {
  return *std::ranges::find(known_algorithms(), name, &AlgorithmInfo::name);
}

}  // namespace tandem
