#include "core/scenario/known_ranks.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/atomic_file.h"
#include "core/scenario/edit.h"
#include "core/scenario/reader.h"

namespace tandem {
namespace {

/// A rank that a fault names, and the members of the widest point where it does.
struct NamedRank {
  std::string where, name;
  int rank = 0;
  int members = 0;
};

void add_rank(std::vector<NamedRank>& ranks, const NamedRank& rank) {
  for (NamedRank& known : ranks) {
    if (known.where != rank.where || known.name != rank.name || known.rank != rank.rank) continue;
    known.members = std::max(known.members, rank.members);
    return;
  }
  ranks.push_back(rank);
}

void add_ranks(std::vector<NamedRank>& ranks, const Value& faults, int members) {
  for (const char* key : {"slow", "fail"}) {
    const Value* list = faults.find(key);
    if (list == nullptr) continue;
    const std::string name = fmt::format("faults.{}.rank", key);
    for (const Value& fault : list->items)
      if (const Value* rank = fault.find("rank"))
        add_rank(ranks, {rank->where, name, read_int(*rank, name, 0), members});
  }
}

}  // namespace

void require_known_ranks(const ScenarioFile& file, const std::vector<Override>& overrides) {
  Value root = parse_yaml_file(read_file(file.path), file.path);
  apply_overrides(root, overrides);
  const std::vector<SweepPoint> points = expand_sweep(root);
  std::vector<NamedRank> ranks;
  for (std::size_t i = 0; i < points.size(); ++i)
    if (const Value* faults = points[i].scenario.find("faults"))
      add_ranks(ranks, *faults, file.points[i].members());
  for (const NamedRank& rank : ranks)
    if (rank.rank >= rank.members)
      fail(rank.where,
           fmt::format("{} is {}, but the job has {} member{}; ranks count from 0", rank.name,
                       rank.rank, rank.members, rank.members == 1 ? "" : "s"));
}

}  // namespace tandem
