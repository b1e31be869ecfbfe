#include "core/record/steady_state.h"

#include <algorithm>
#include <cmath>

namespace tandem {
namespace {

constexpr int kPeriods = 3;

bool same(Seconds a, Seconds b, Seconds of) {
  return std::abs(a - b) <= kSteadyTolerance * of;
}

bool same(const IterationRecord& a, const IterationRecord& b) {
  const Seconds time = b.end - b.begin;
  return same(a.end - a.begin, time, time) && same(a.compute, b.compute, time) &&
         same(a.exposed, b.exposed, time);
}

void repeat(MemberResult& member, const SteadyState& state) {
  const IterationRecord last = member.iterations.back();
  member.iterations.pop_back();
  const std::size_t first = member.iterations.size() - static_cast<std::size_t>(state.period);
  const Seconds duration = last.begin - member.iterations[first].begin;
  // Doubling would hold up to three times as many while it copies, and there may be millions.
  member.iterations.reserve(member.iterations.size() +
                            static_cast<std::size_t>(state.repeats * state.period) + 1);
  for (int i = 0; i < state.repeats * state.period; ++i) {
    IterationRecord next = member.iterations[first + static_cast<std::size_t>(i)];
    next.begin += duration;
    next.end += duration;
    member.traffic = member.traffic + next.traffic;
    member.iterations.push_back(next);
  }
  member.iterations.push_back(last);
  member.iterations.back().begin += state.repeats * duration;
  member.iterations.back().end += state.repeats * duration;
}

}  // namespace

std::optional<SteadyState> steady_state(int iterations, int warmup, int period, int needed) {
  const int least = warmup + std::max(kPeriods * period, needed) + 1;
  if (iterations < 2 * least) return std::nullopt;
  const int left_out = (iterations - least) / period;
  return SteadyState{iterations - left_out * period, period, left_out};
}

bool is_steady(const std::vector<MemberResult>& members, const SteadyState& state) {
  return std::ranges::all_of(members, [&](const MemberResult& member) {
    for (int i = 0; i < state.period; ++i) {
      const auto later = member.iterations.rbegin() + 1 + i;
      if (!same(*later, *(later + state.period))) return false;
    }
    return true;
  });
}

void extrapolate(std::vector<MemberResult>& members, const SteadyState& state) {
  for (MemberResult& member : members) repeat(member, state);
}

}  // namespace tandem
