#include "core/record/alike_members.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace tandem {
namespace {

/// What has to be the same.
using Likeness = std::tuple<bool, std::string, std::vector<std::optional<double>>>;

Likeness likeness_of(const MemberResult& member) {
  std::vector<std::optional<double>> times;
  for (const IterationRecord& i : member.iterations) {
    times.insert(times.end(), {i.begin, i.end, i.compute, i.exposed, i.input, i.loss});
  }
  return {member.is_server, member.weights_hash, std::move(times)};
}

void join(MemberResult& all, const MemberResult& one) {
  all.count += one.count;
  all.traffic = all.traffic + one.traffic;
  for (std::size_t i = 0; i < all.iterations.size(); ++i) {
    all.iterations[i].traffic = all.iterations[i].traffic + one.iterations[i].traffic;
  }
  for (const auto& [updates, times] : one.staleness) all.staleness[updates] += times;
  all.peak_memory_bytes = std::max(all.peak_memory_bytes, one.peak_memory_bytes);
  all.held_peak_bytes = std::max(all.held_peak_bytes, one.held_peak_bytes);
  all.process_peak_bytes = std::max(all.process_peak_bytes, one.process_peak_bytes);
}

}  // namespace

void merge_alike(std::vector<MemberResult>& members) {
  if (members.size() <= kListedMembers) return;
  std::vector<MemberResult> merged;
  std::map<Likeness, std::size_t> known;  // by its place in `merged`
  for (MemberResult& member : members) {
    if (member.spans.empty() && member.evaluations.empty() && member.program.empty()) {
      const auto [first, is_new] = known.try_emplace(likeness_of(member), merged.size());
      if (!is_new) {
        join(merged[first->second], member);
        continue;
      }
    }
    merged.push_back(std::move(member));
  }
  members = std::move(merged);
}

}  // namespace tandem
