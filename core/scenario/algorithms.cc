#include "core/scenario/algorithms.h"

#include <algorithm>

#include "core/scenario/scenario.h"

namespace tandem {

const std::vector<AlgorithmInfo>& known_algorithms() {
  static const std::vector<AlgorithmInfo> kAlgorithms = {
      {"none", "one worker alone: the baseline of speed-ups", {}, {"clip_norm", "precision"}},
      {"all_reduce",
       "gradients are averaged by a collective",
       {"collective", "bucket", "overlap"},
       {"clip_norm", "precision"}},
      {"parameter_server",
       "servers hold the weights: pull them, push gradients",
       {"mode", "servers", "placement", "staleness", "backup_workers", "push_every", "pull_every",
        "priority", "bucket", "overlap"},
       {},
       true},
      {"elastic_averaging",
       "workers train by themselves, drawn to a centre that servers hold",
       {"local_steps", "elasticity", "servers", "placement", "bucket", "overlap"},
       {},
       true},
  };
  return kAlgorithms;
}

bool takes_key(const AlgorithmSpec& algorithm, const std::string& key) {
  if (std::ranges::count(algorithm_info(algorithm.name).keys, key) == 0) return false;
  if (key == "staleness") return algorithm.mode == ServerMode::kStaleSynchronous;
  if (key == "backup_workers") return algorithm.mode == ServerMode::kSynchronous;
  if (key == "push_every" || key == "pull_every") {
    return algorithm.mode != ServerMode::kSynchronous;
  }
  return true;
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

std::string AlgorithmSpec::label() const {
  if (name == "all_reduce") return collective;
  if (name != "parameter_server" || mode == ServerMode::kSynchronous) return name;
  return mode == ServerMode::kAsynchronous ? "asynchronous_ps" : "stale_ps";
}

int AlgorithmSpec::servers() const {
  return algorithm_info(name).has_servers ? server_count : 0;
}

std::vector<int> Scenario::hosts() const {
  std::vector<int> hosts(members());
  for (int rank = 0; rank < members(); ++rank) {
    const bool shares = rank >= workers && algorithm.placement == Placement::kWorkers;
    hosts[rank] = shares ? (rank - workers) % workers : rank;
  }
  return hosts;
}

const AlgorithmInfo& algorithm_info(const std::string& name) {
  return *std::ranges::find(known_algorithms(), name, &AlgorithmInfo::name);
}

}  // namespace tandem
