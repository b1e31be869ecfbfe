#include "core/command/memory.h"

#include <algorithm>
#include <fstream>
#include <limits>
#include <string>

#include "core/model/custom.h"
#include "core/strategies/all_reduce_use.h"
#include "core/strategies/memory_use.h"

namespace tandem {
namespace {

constexpr double kUnknown = std::numeric_limits<double>::infinity();

/// "MemAvailable:  123 kB".
double available_memory() {
  std::ifstream in("/proc/meminfo");
  std::string key, rest;
  for (double kilobytes = 0; in >> key >> kilobytes; std::getline(in, rest))
    if (key == "MemAvailable:") return kilobytes * 1024;
  return kUnknown;
}

/// A number in a file; infinite where there is none, or "max".
double number_in(const std::string& file) {
  std::ifstream in(file);
  double number = 0;
  return in >> number ? number : kUnknown;
}

/// Of this process in the unified hierarchy (cgroup v2), or in that of memory (v1).
double group_memory() {
  std::ifstream in("/proc/self/cgroup");
  double least = kUnknown;
  for (std::string line; std::getline(in, line);) {
    const std::size_t path = line.find(':', line.find(':') + 1) + 1;
    const bool unified = line.starts_with("0::");
    if (!unified && line.find(":memory:") == std::string::npos) continue;
    const std::string folder =
        (unified ? "/sys/fs/cgroup" : "/sys/fs/cgroup/memory") + line.substr(path) + "/";
    least = std::min(
        least, unified ? number_in(folder + "memory.max") - number_in(folder + "memory.current")
                       : number_in(folder + "memory.limit_in_bytes") -
                             number_in(folder + "memory.usage_in_bytes"));
  }
  return least;
}

}  // namespace

double free_memory() {
  const double group = group_memory();
  // NaN where a file is missing.
  return group >= 0 ? std::min(available_memory(), group) : available_memory();
}

double simulation_memory(const Scenario& point) {
  constexpr double kProcess = 64e6,
                   kMember = 100e3;  // a ring of ResNet-50 takes 22 kB a worker, servers more
  const double members = point.members();
  double bytes = kProcess + kMember * members;
  if (point.simulation.depth == Depth::kPayload) {
    const LayerGraph graph = build_model(point.model);
    Scenario chosen = point;  // `auto` can't choose yet, but all that it may take as much
    if (needs_network_figures(point)) chosen.algorithm.collective = "ring";
    bytes += predict_memory(chosen, graph, 0).total() * members;
  }
  return bytes;
}

}  // namespace tandem
