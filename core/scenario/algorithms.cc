#include "core/scenario/algorithms.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/scenario/scenario.h"

namespace tandem {

const std::vector<AlgorithmInfo>& known_algorithms() {
  static const std::vector<AlgorithmInfo> kAlgorithms = {
      {"none", "one worker alone: the baseline of speed-ups", {}, {"clip_norm", "precision"}},
      {"all_reduce",
       "gradients are averaged by a collective",
       {"collective", "segment", "node_size", "bucket", "overlap"},
       {"clip_norm", "precision"}},
      {"parameter_server",
       "servers hold the weights: pull them, push gradients",
       {"bucket", "overlap"}},
      {"pairwise_averaging",
       "weights are averaged by pairs of a round-robin tournament",
       {"passes", "collective"},
       {"clip_norm"}},
      {"ad_psgd",
       "weights are averaged with a random neighbour's while gradients are computed",
       {},
       {"clip_norm"}},
      {"sgp",
       "half of the weights is pushed to the next peer of an exponential graph",
       {},
       {"clip_norm"}},
      {"local_sgd",
       "workers step alone and average their weights now and then",
       {"local_steps", "outer", "collective"},
       {"clip_norm"}},
      {"zero",
       "optimizer state, gradients, parameters sharded by stage",
       {"stage", "bucket", "overlap", "prefetch"},
       {"clip_norm", "precision"}},
  };
  return kAlgorithms;
}

std::string AlgorithmSpec::label() const {
  if (name == "all_reduce") return collective;
  if (name == "pairwise_averaging")
    return fmt::format("{}_{}", name, passes ? std::to_string(*passes) : "all");
  if (name == "zero") return fmt::format("{}_{}", name, stage);
  if (name == "local_sgd") return fmt::format("{}_{}{}", name, local_steps, outer ? "_outer" : "");
  return name;
}

const AlgorithmInfo& algorithm_info(const std::string& name) {
  return *std::ranges::find(known_algorithms(), name, &AlgorithmInfo::name);
}

}  // namespace tandem
