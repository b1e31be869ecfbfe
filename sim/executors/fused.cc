#include "sim/executors/fused.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/engine.h"
#include "sim/short_cut_failed.h"

namespace tandem {
namespace {

// Far below any message's time, and above what sums of times lose in rounding.
constexpr Seconds kTogether = 1e-9;

bool close(Seconds a, Seconds b) {
  return std::abs(a - b) <= kTogether;
}

ShortCutFailed refusal(const std::string& reason) {
  return {ShortCut::kFusing, reason};
}

}  // namespace

std::string fused_refusal(const std::string& reason) {
  return "simulation.executor: fused can't tell the collective's time: " + reason +
         "; use executor: exact";
}

FusedExecutor::FusedExecutor(Fabric& fabric, PostOffice& office,
                             const std::vector<Member*>& members)
    : fabric_(fabric),
      office_(office),
      members_(members),
      next_(members.size(), 0),
      free_at_(members.size(), 0),
      marks_(members.size()) {}

void FusedExecutor::start(int rank, std::unique_ptr<const Schedule> schedule, View view,
                          std::shared_ptr<SimOperation> operation) {
  if (view.has_data()) throw refusal("it moves no payload");
  if (schedule->ranks() != static_cast<int>(members_.size()))
    throw refusal("not all members take part in it");
  const std::size_t number = next_[rank]++;
  for (const int peer : left_) {
    if (next_[peer] <= number) return operation->complete(std::make_exception_ptr(PeerLost(peer)));
  }
  while (pending_.size() <= number - done_) pending_.emplace_back(members_.size());
  Collective& collective = pending_[number - done_];
  collective.schedules[rank] = std::move(schedule);
  collective.arrivals[rank] = simgrid::s4u::Engine::get_clock();
  collective.positions[rank] = members_[rank]->recorder.position();
  operation->moved.message = marks_[rank].next(*collective.schedules[rank]);
  collective.operations[rank] = std::move(operation);
  collective.element_bytes = size_of(view.dtype);
  if (++collective.started < members_.size()) return;
  finish(collective);
  pending_.pop_front();
  ++done_;
}

void FusedExecutor::finish(Collective& collective) {
  for (std::size_t rank = 0; rank < members_.size();
       ++rank) {  // its last one may still be going on
    collective.arrivals[rank] = std::max(collective.arrivals[rank], free_at_[rank]);
  }
  Known& known = known_plan(collective);
  check_arrivals(known.plan, collective);
  check_overlap(known.plan, *std::ranges::min_element(collective.arrivals));
  const Seconds last = *std::ranges::max_element(collective.arrivals);
  const std::vector<Seconds>& finishes = finishes_after_last(known, collective, last);
  last_plan_ = &known.plan;
  last_finish_ = last + *std::ranges::max_element(finishes);
  for (const LinkBytes& load : known.plan.link_bytes())
    fabric_.loads().add(load.link, last, last_finish_, load.bytes);
  office_.reserve(last_finish_, "other messages are sent while it runs");
  const std::string_view name = collective.schedules.front()->name();
  const std::size_t bytes = collective.schedules.front()->elements() * collective.element_bytes;
  for (std::size_t rank = 0; rank < members_.size(); ++rank) {
    const Seconds end = last + finishes[rank];
    members_[rank]->recorder.transferred(known.plan.traffic()[rank]);
    const MessageMark mark{collective.operations[rank]->moved.message, collective.positions[rank],
                           known.time};
    members_[rank]->recorder.communicated(name, collective.arrivals[rank], end, bytes, -1, mark);
    free_at_[rank] = end;
    collective.operations[rank]->completes_at = end;
    collective.operations[rank]->waiter->wake();
  }
}

MessageTime FusedExecutor::time_of(const Schedule& schedule, std::size_t element_bytes) {
  MessageTime time;
  for (int k = 0; k < schedule.rounds(); ++k) {
    const Round round = schedule.round(k);
    Seconds latency = 0;
    std::size_t added = 0;
    for (const SendPiece& piece : round.sends)
      latency = std::max(latency, fabric_.path(schedule.rank(), piece.peer).latency);
    for (const ReceivePiece& piece : round.receives) {
      latency = std::max(latency, fabric_.path(piece.peer, schedule.rank()).latency);
      if (piece.action == Action::kAdd) added += piece.elements;
    }
    time.latency += latency;
    if (added > 0)
      time.reduce += members_[schedule.rank()]->device.adding_time(added * element_bytes);
  }
  return time;
}

FusedExecutor::Known& FusedExecutor::known_plan(const Collective& collective) {
  const Schedule& first = *collective.schedules.front();
  const std::tuple key(std::string(first.name()), first.elements(), collective.element_bytes);
  const auto known = plans_.find(key);
  if (known != plans_.end()) return known->second;
  const auto adding_time = [this](int rank, std::size_t bytes) {
    return members_[rank]->device.adding_time(bytes);
  };
  CollectivePlan plan(collective.schedules, collective.element_bytes, fabric_, adding_time);
  if (plan.refusal()) throw refusal(*plan.refusal());
  return plans_
      .emplace(key, Known{std::move(plan), time_of(first, collective.element_bytes), {}, {}})
      .first->second;
}

void FusedExecutor::check_arrivals(const CollectivePlan& plan, const Collective& collective) const {
  const auto [first, last] = std::ranges::minmax_element(collective.arrivals);
  // In flight when the first began it, or between then and now.
  if (office_.transfers_in_flight() > 0 || office_.busy_until() > *first + kTogether)
    throw refusal("other messages are in flight when it starts");
  if (plan.kind() == CollectivePlan::Kind::kInStep && !close(*first, *last)) {
    throw refusal(fmt::format("its pairs share links, and rank {} arrives {:.3g} s after rank {}",
                              last - collective.arrivals.begin(), *last - *first,
                              first - collective.arrivals.begin()));
  }
}

// Collectives of one algorithm use the same pairs; those of two may meet on a link.
void FusedExecutor::check_overlap(const CollectivePlan& plan, Seconds first_arrival) {
  if (last_plan_ == nullptr || last_plan_ == &plan || first_arrival >= last_finish_ - kTogether) {
    return;
  }
  if (apart_.contains({last_plan_, &plan})) return;
  if (const auto link = plan.shared_with(*last_plan_)) {
    throw refusal(fmt::format(
        "link {} is shared with the collective before, which is still going on", *link));
  }
  apart_.insert({last_plan_, &plan});
}

const std::vector<Seconds>& FusedExecutor::finishes_after_last(Known& known,
                                                               const Collective& collective,
                                                               Seconds last) {
  std::vector<Seconds> arrivals = collective.arrivals;
  for (Seconds& arrival : arrivals) arrival -= last;
  if (std::ranges::equal(arrivals, known.arrivals, close)) return known.finishes;
  known.finishes = known.plan.finish_times(collective.schedules, arrivals);
  known.arrivals = std::move(arrivals);
  const auto first = std::ranges::min_element(known.finishes);
  if (*first < -kTogether) {
    throw refusal(
        fmt::format("rank {} is done before all have begun", first - known.finishes.begin()));
  }
  return known.finishes;
}

void FusedExecutor::leave(int rank) {
  left_.push_back(rank);
  for (std::size_t i = 0; i < pending_.size(); ++i) {
    if (next_[rank] > done_ + i) continue;
    for (const auto& operation : pending_[i].operations) {
      if (operation && !operation->done)
        operation->complete(std::make_exception_ptr(PeerLost(rank)));
    }
  }
}

}  // namespace tandem
