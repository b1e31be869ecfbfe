#include "core/record/memory_report.h"

#include <algorithm>

#include "core/strategies/memory_use.h"

namespace tandem {

nlohmann::json describe_memory(const Experiment& experiment,
                               const std::vector<MemberResult>& members) {
  const MemoryUse use = predict_memory(experiment.scenario, experiment.graph, 0);
  nlohmann::json held = nlohmann::json::array(), process = nlohmann::json::array(),
                 stands_for = nlohmann::json::array();
  for (const MemberResult& member : members) {
    held.push_back(member.held_peak_bytes);
    stands_for.push_back(member.count);
    if (member.process_peak_bytes > 0) process.push_back(member.process_peak_bytes);
  }
  nlohmann::json memory = {{"predicted",
                            {{"parameters", use.parameters},
                             {"gradients", use.gradients},
                             {"optimizer_state", use.optimizer_state},
                             {"layer_groups_in_use", use.working},
                             {"activations", use.activations},
                             {"buffers", use.buffers},
                             {"total", use.total()}}},
                           {"held_peak_bytes", held}};
  if (std::ranges::any_of(members, [](const MemberResult& member) { return member.count > 1; }))
    memory["stands_for"] = stands_for;
  if (!process.empty()) memory["process_peak_bytes"] = process;
  return memory;
}

}  // namespace tandem
