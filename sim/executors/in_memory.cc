#include "sim/executors/in_memory.h"

#include <algorithm>
#include <cstring>

#include "core/collectives/taking_part.h"
#include "core/comm/errors.h"
#include "sim/engine.h"

namespace tandem {
namespace {

/// Of what each of two ranks moves in an all-reduce: each element of its half is read from both and
/// written to both.
double share_of(const std::vector<Sum>& sums, int ranks, std::size_t elements) {
  constexpr double kOfTwo = 2;
  double moved = 0;
  for (const Sum& sum : sums) {
    const auto reads = std::ranges::count_if(
        sum.steps, [](const SumStep& step) { return step.kind != SumStep::Kind::kFold; });
    moved += static_cast<double>(sum.piece.elements) * static_cast<double>(reads + ranks) / ranks;
  }
  return moved / static_cast<double>(elements) / kOfTwo;
}

void form_all(const std::vector<Sum>& sums, const std::vector<View>& views) {
  for (const Sum& sum : sums) {
    const auto [offset, elements] = sum.piece;
    std::vector<View> beginnings;
    for (const View& view : views) beginnings.push_back(view.slice(offset, elements));
    std::vector<Buffer> buffers;
    std::vector<View> stack;
    for (int i = 0; i < sum.depth; ++i) {
      buffers.push_back(make_host_buffer(elements, views.front().dtype));
      stack.push_back(buffers.back().view());
    }
    form(sum, beginnings, stack);
    for (const View& view : beginnings) std::memcpy(view.data, stack[0].data, view.bytes());
  }
}

}  // namespace

const InMemoryCollectives::Known& InMemoryCollectives::known(const Schedule& schedule) {
  const std::tuple key(std::string(schedule.name()), schedule.ranks(), schedule.elements());
  const auto [entry, is_new] = known_.try_emplace(key);
  Known& known = entry->second;
  if (is_new && schedule.elements() > 0) {
    known.sums = sums_of(schedule);
    if (known.sums) known.share = share_of(*known.sums, schedule.ranks(), schedule.elements());
  }
  return known;
}

Seconds InMemoryCollectives::duration(const Schedule& schedule, std::size_t bytes) {
  return costs_.latency(bytes) +
         static_cast<double>(bytes) * costs_.seconds_per_byte(bytes) * known(schedule).share;
}

Seconds InMemoryCollectives::run(int rank, const Schedule& schedule, const View& view,
                                 Waiter& waiter) {
  const std::vector<int> ranks = group_ranks(schedule);
  auto& pending = meetings_[ranks];
  if (!pending) pending = std::make_shared<Meeting>(ranks);
  const std::shared_ptr<Meeting> meeting = pending;
  meeting->views[schedule.rank()] = view;
  meeting->waiters[schedule.rank()] = &waiter;
  if (++meeting->came == meeting->ranks.size()) {
    pending.reset();
    if (view.has_data()) form_all(*known(schedule).sums, meeting->views);
    meeting->takes = duration(schedule, view.bytes());
    meeting->end = simgrid::s4u::Engine::get_clock() + meeting->takes;
    for (Waiter* other : meeting->waiters) other->wake();
  }
  while (meeting->end == kForever) {
    require_all_to_come(*meeting);
    waiter.wait({}, 1, kForever);
  }
  BusyTime& busy = members_[rank]->in_memory;
  const Seconds now = simgrid::s4u::Engine::get_clock();
  busy.begin(now);
  simgrid::s4u::this_actor::sleep_for(meeting->end - now);
  busy.end(simgrid::s4u::Engine::get_clock());
  return meeting->takes;
}

void InMemoryCollectives::require_all_to_come(const Meeting& meeting) const {
  for (std::size_t i = 0; i < meeting.ranks.size(); ++i) {
    if (meeting.waiters[i] == nullptr && left_.contains(meeting.ranks[i]))
      throw PeerLost(meeting.ranks[i]);
  }
}

void InMemoryCollectives::leave(int rank) {
  left_.insert(rank);
  for (const auto& [ranks, meeting] : meetings_) {
    if (!meeting || !std::ranges::count(ranks, rank)) continue;
    for (Waiter* waiter : meeting->waiters) {
      if (waiter != nullptr) waiter->wake();
    }
  }
}

}  // namespace tandem
