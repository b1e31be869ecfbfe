// Collectives whose messages have their links to themselves: a recurrence over the rounds.

#include <algorithm>
#include <cmath>
#include <limits>

#include "sim/executors/plan.h"

namespace tandem {
namespace {

/// What all ranks were put off by from `before` to `after`, where it is the same for all.
std::optional<Seconds> common_delay(const std::vector<Seconds>& before,
                                    const std::vector<Seconds>& after) {
  constexpr double kRounding = 4 * std::numeric_limits<double>::epsilon();
  const Seconds delay = after.front() - before.front();
  for (std::size_t rank = 0; rank < after.size(); ++rank) {
    const Seconds magnitude = std::max(std::abs(after[rank]), std::abs(before[rank]));
    if (std::abs(after[rank] - before[rank] - delay) > kRounding * magnitude) return std::nullopt;
  }
  return delay;
}

}  // namespace

std::vector<Seconds> CollectivePlan::finish_times(Schedules schedules,
                                                  std::span<const Seconds> arrivals) const {
  std::vector<Seconds> now(arrivals.begin(), arrivals.end());
  if (kind_ == Kind::kInStep) {
    for (Seconds& time : now) time += duration_;
    return now;
  }
  Stretches stretches(schedules.size());
  Step step;
  const int rounds = most_rounds(schedules);
  for (int k = 0; k < rounds; k += step.rounds) {
    step.rounds = read_stretches(schedules, k, one_by_one_ ? 1 : rounds - k, stretches);
    fill(step, stretches);
    go_through(step, now);
  }
  return now;
}

void CollectivePlan::fill(Step& step, const Stretches& stretches) const {
  step.messages.clear();
  step.adding.clear();
  const Sizes sizes = sizes_of(stretches);
  const bool as_largest = !one_by_one_ && sizes.alike();
  for (std::size_t rank = 0; rank < stretches.size(); ++rank) {
    const int source = static_cast<int>(rank);
    for (const SendPiece& piece : stretches[rank].sum.sends) {
      const std::size_t size = as_largest ? sizes.largest : largest_of(piece.elements, step.rounds);
      step.messages.push_back(
          {source, piece.peer, path(source, piece.peer).time(size * element_bytes_)});
    }
    const std::size_t pieces =
        std::ranges::count(stretches[rank].sum.receives, Action::kAdd, &ReceivePiece::action);
    if (pieces == 0) continue;
    const std::size_t added = as_largest
                                  ? pieces * sizes.largest
                                  : largest_of(elements_to_add(stretches[rank].sum), step.rounds);
    step.adding.resize(stretches.size(), 0);
    step.adding[rank] = adding_time_(source, added * element_bytes_);
  }
}

void CollectivePlan::go_through(const Step& step, std::vector<Seconds>& now) {
  std::vector<Seconds> end;
  for (int left = step.rounds; left > 0; --left) {
    end = now;
    for (const Message& message : step.messages) {
      const Seconds done = std::max(now[message.source], now[message.destination]) + message.time;
      end[message.source] = std::max(end[message.source], done);
      end[message.destination] = std::max(end[message.destination], done);
    }
    for (std::size_t rank = 0; rank < step.adding.size(); ++rank) end[rank] += step.adding[rank];
    std::swap(now, end);
    if (left == 1) return;
    if (const auto delay = common_delay(end, now)) {
      for (Seconds& time : now) time += (left - 1) * *delay;
      return;
    }
  }
}

}  // namespace tandem
