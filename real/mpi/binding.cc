#include "real/mpi/binding.h"

#include <hwloc/glibc-sched.h>

#include <algorithm>
#include <climits>
#include <cstdlib>
#include <memory>

#include "real/mpi/neighbours.h"

namespace tandem::mpi {
namespace {

struct FreeBitmap {
  void operator()(hwloc_bitmap_t bitmap) const { hwloc_bitmap_free(bitmap); }
};
using Bitmap = std::unique_ptr<hwloc_bitmap_s, FreeBitmap>;

struct DestroyTopology {
  void operator()(hwloc_topology_t topology) const { hwloc_topology_destroy(topology); }
};
using Topology = std::unique_ptr<hwloc_topology, DestroyTopology>;

std::string list_of(const Bitmap& bitmap) {
  char* text = nullptr;
  if (hwloc_bitmap_list_asprintf(&text, bitmap.get()) < 0) return "";
  std::string list = text;
  std::free(text);  // NOLINT(cppcoreguidelines-no-malloc): it is hwloc's
  return list;
}

/// Of this machine, as far as a process may use it.
Topology topology_of(const cpu_set_t& allowed) {
  hwloc_topology_t made = nullptr;
  if (hwloc_topology_init(&made) != 0) return nullptr;
  Topology topology(made);
  hwloc_topology_set_flags(made, HWLOC_TOPOLOGY_FLAG_DONT_CHANGE_BINDING);
  // Its environment may describe another machine.
  if (hwloc_topology_load(made) != 0 || hwloc_topology_is_thissystem(made) == 0) return nullptr;
  const Bitmap bitmap(hwloc_bitmap_alloc());
  hwloc_cpuset_from_glibc_sched_affinity(made, bitmap.get(), &allowed, sizeof allowed);
  if (hwloc_topology_restrict(made, bitmap.get(), 0) != 0) return nullptr;
  return topology;
}

/// Those of a core that take turns of it count as one.
int core_count(hwloc_topology_t topology, hwloc_const_cpuset_t processors) {
  const int cores = hwloc_get_nbobjs_inside_cpuset_by_type(topology, processors, HWLOC_OBJ_CORE);
  return cores > 0 ? cores : hwloc_bitmap_weight(processors);
}

bool are_alike(const std::vector<cpu_set_t>& all) {
  return std::ranges::all_of(
      all, [&](const cpu_set_t& one) { return CPU_EQUAL(&one, &all.front()) != 0; });
}

}  // namespace

std::vector<std::string> parts_of_machine(hwloc_topology_t topology, int ranks, int threads) {
  if (hwloc_cpukinds_get_nr(topology, 0) > 1) return {};
  std::vector<hwloc_cpuset_t> sets(ranks);
  hwloc_obj_t root = hwloc_get_root_obj(topology);
  if (hwloc_distrib(topology, &root, 1, sets.data(), ranks, INT_MAX, 0) != 0) return {};
  std::vector<Bitmap> parts(sets.begin(), sets.end());  // which owns them
  const Bitmap dealt(hwloc_bitmap_alloc());
  std::vector<std::string> lists;
  for (const Bitmap& part : parts) {
    if (core_count(topology, part.get()) <= threads) return {};
    if (hwloc_bitmap_intersects(dealt.get(), part.get()) != 0) return {};
    hwloc_bitmap_or(dealt.get(), dealt.get(), part.get());
    lists.push_back(list_of(part));
  }
  return lists;
}

std::string bind_to_part_of_machine(MPI_Comm comm, int threads) {
  const Neighbours ranks = neighbours(comm);
  const int count = static_cast<int>(ranks.allowed.size());
  const cpu_set_t& allowed = ranks.allowed[ranks.own];
  // To look at a machine takes long where many do.
  if (std::getenv("TANDEM_NO_BINDING") != nullptr || count == 1 || !are_alike(ranks.allowed) ||
      CPU_COUNT(&allowed) < count * (threads + 1))
    return "";
  const Topology topology = topology_of(allowed);
  if (!topology) return "";
  const std::vector<std::string> parts = parts_of_machine(topology.get(), count, threads);
  if (parts.empty()) return "";
  const std::string& own = parts[ranks.own];
  const Bitmap processors(hwloc_bitmap_alloc());
  hwloc_bitmap_list_sscanf(processors.get(), own.c_str());
  const int failed = hwloc_set_cpubind(topology.get(), processors.get(), HWLOC_CPUBIND_PROCESS);
  return failed == 0 ? own : "";
}

}  // namespace tandem::mpi
