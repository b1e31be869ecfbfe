#include "core/scenario/algorithms.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>

#include "core/base/paths.h"
#include "core/scenario/scenario.h"

namespace tandem {

const std::vector<AlgorithmInfo>& known_algorithms() {
  static const std::vector<AlgorithmInfo> kAlgorithms = {
      {"none",
       "one worker alone: the baseline of speed-ups",
       {},
       {"clip_norm", "lamb", "precision", "synchronize_batch_norm"}},
      {"all_reduce",
       "gradients are averaged by a collective",
       {"collective", "segment", "node_size", "bucket", "overlap", "compression"},
       {"clip_norm", "lamb", "precision", "synchronize_batch_norm"}},
      {"parameter_server",
       "servers hold the weights: pull them, push gradients",
       {"mode", "servers", "placement", "staleness", "backup_workers", "push_every", "pull_every",
        "priority", "early_pull", "pull_overlap", "bucket", "overlap"},
       {},
       true},
      {"elastic_averaging",
       "workers train alone, drawn to a centre on servers",
       {"local_steps", "elasticity", "servers", "placement", "bucket", "overlap"},
       {},
       true},
      {"pairwise_averaging",
       "weights are averaged by pairs of a round-robin tournament",
       {"passes", "collective", "segment", "node_size"},
       {"clip_norm", "lamb"}},
      {"ad_psgd",
       "weights averaged with a random neighbour's meanwhile",
       {},
       {"clip_norm", "lamb"}},
      {"sgp", "half of the weights goes to the next peer of a graph", {}, {"clip_norm", "lamb"}},
      {"local_sgd",
       "workers step alone and average their weights now and then",
       {"local_steps", "outer", "collective", "segment", "node_size"},
       {"clip_norm", "lamb"}},
      {"zero",
       "optimizer state, gradients, parameters sharded by stage",
       {"stage", "bucket", "overlap", "prefetch"},
       {"clip_norm", "lamb", "precision", "synchronize_batch_norm"}},
      {"pipeline",
       "micro-batches flow through stages, a worker each",
       {"stages", "micro_batches", "schedule", "bucket", "overlap"},
       {"clip_norm", "lamb"}},
  };
  return kAlgorithms;
}

namespace {

using Words = std::vector<std::string>;

bool has_meaning_in_mode(ServerMode mode, const std::string& key) {
  if (key == "staleness") return mode == ServerMode::kStaleSynchronous;
  if (key == "backup_workers") return mode == ServerMode::kSynchronous;
  if (key == "push_every" || key == "pull_every") return mode != ServerMode::kSynchronous;
  return true;
}

bool has_meaning_with(const std::string& collective, const std::string& key) {
  const auto is_one_of = [&](const Words& some) {
    return std::ranges::count(some, collective) > 0;
  };
  if (key == "segment") return is_one_of({"segmented_ring", "double_binary_tree", "auto"});
  if (key == "node_size") return is_one_of({"hierarchical", "auto"});
  return true;
}

}  // namespace

std::string meaningless(const AlgorithmSpec& algorithm, const std::string& key) {
  if (!has_meaning_in_mode(algorithm.mode, key))
    return fmt::format("in mode {}", to_string(algorithm.mode));
  if (key == "early_pull" && (algorithm.push_every > 1 || algorithm.pull_every > 1))
    return "unless every iteration pushes and pulls";
  if (key == "pull_overlap" && !algorithm.overlap) return "without overlap";
  const bool is_of_collectives = key == "collective" || key == "segment" || key == "node_size";
  if (is_of_collectives && algorithm.name == "pairwise_averaging" && algorithm.passes)
    return "unless passes is all";
  if (!has_meaning_with(algorithm.collective, key))
    return "with collective " + algorithm.collective;
  if (key == "prefetch" && algorithm.stage < 3) return fmt::format("in stage {}", algorithm.stage);
  return "";
}

bool takes_key(const AlgorithmSpec& algorithm, const std::string& key) {
  return std::ranges::count(algorithm_info(algorithm.name).keys, key) > 0 &&
         meaningless(algorithm, key).empty();
}

const char* to_string(ServerMode mode) {
  switch (mode) {
    case ServerMode::kSynchronous:
      return "synchronous";
    case ServerMode::kAsynchronous:
      return "asynchronous";
    case ServerMode::kStaleSynchronous:
      return "stale_synchronous";
  }
  return "?";
}

const char* to_string(Placement placement) {
  return placement == Placement::kDedicated ? "dedicated" : "workers";
}

const char* to_string(PipelineSchedule schedule) {
  return schedule == PipelineSchedule::kGPipe ? "gpipe" : "1f1b";
}

std::string AlgorithmSpec::label() const {
  if (name == "all_reduce") return collective;
  if (name == "pairwise_averaging")
    return fmt::format("{}_{}", name, passes ? std::to_string(*passes) : "all");
  if (name == "zero") return fmt::format("{}_{}", name, stage);
  if (name == "pipeline" && stages) return fmt::format("{}_{}", name, *stages);
  if (name == "elastic_averaging") return fmt::format("{}_{}", name, local_steps);
  if (name == "local_sgd") return fmt::format("{}_{}{}", name, local_steps, outer ? "_outer" : "");
  if (name != "parameter_server" || mode == ServerMode::kSynchronous) return name;
  return mode == ServerMode::kAsynchronous ? "asynchronous_ps" : "stale_ps";
}

int AlgorithmSpec::servers() const {
  return algorithm_info(name).has_servers ? server_count : 0;
}

int Scenario::period() const {
  std::int64_t period = algorithm.local_steps;
  for (const int steps : {algorithm.push_every, algorithm.pull_every})
    period = std::min<std::int64_t>(std::lcm(period, std::int64_t{steps}),
                                    std::numeric_limits<int>::max());
  return static_cast<int>(period);
}

RecoverySpec Scenario::recovery() const {
  RecoverySpec recovery = faults.recovery;
  if (!faults.fail.empty() && checkpoint && !recovery.checkpoint_every)
    recovery.checkpoint_every = checkpoint->every;
  return recovery;
}

std::vector<int> Scenario::hosts() const {
  std::vector<int> hosts(members());
  for (int rank = 0; rank < members(); ++rank) {
    const bool shares = rank >= workers && algorithm.placement == Placement::kWorkers;
    hosts[rank] = shares ? (rank - workers) % workers : rank;
  }
  return hosts;
}

std::filesystem::path Scenario::platform_file() const {
  return platform.empty() || topology ? "" : find_resource("platforms", platform, "xml");
}

const AlgorithmInfo& algorithm_info(const std::string& name) {
  return *std::ranges::find(known_algorithms(), name, &AlgorithmInfo::name);
}

}  // namespace tandem
