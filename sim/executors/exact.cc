#include "sim/executors/exact.h"

#include <algorithm>
#include <limits>

#include "core/collectives/taking_part.h"

namespace tandem {

void ExactExecutor::start(int rank, std::unique_ptr<const Schedule> schedule, View view,
                          std::shared_ptr<SimOperation> operation) {
  Lane& lane = lanes_[rank];
  const MessageMark mark{lane.marks.next(*schedule), members_[rank]->recorder.position(), {}};
  operation->moved.message = mark.id;
  lane.queue.push_back({std::move(schedule), view, std::move(operation), mark});
  if (lane.has_actor) return lane.waiter.wake();
  lane.has_actor = true;
  office_.add_waiter(rank, lane.waiter);
  simgrid_compat::add_actor("collectives of rank " + std::to_string(rank), members_[rank]->host,
                            [this, rank] { run(rank); })
      ->daemonize();
}

void ExactExecutor::run(int rank) {
  Lane& lane = lanes_[rank];
  while (true) {
    while (lane.queue.empty()) lane.waiter.wait({}, 1, kForever);
    Collective collective = std::move(lane.queue.front());
    lane.queue.pop_front();
    std::exception_ptr error = execute(rank, collective);
    collective.operation->complete(std::move(error));
  }
}

// Nothing may switch actors while an exception is being handled: they share a thread.
std::exception_ptr ExactExecutor::execute(int rank, Collective& collective) {
  try {
    in_memory_.has(*collective.schedule) ? execute_in_memory(rank, collective)
                                         : execute_rounds(rank, collective);
  } catch (const std::exception&) {
    return std::current_exception();
  }
  return nullptr;
}

void ExactExecutor::execute_rounds(int rank, Collective& collective) {
  Recorder& recorder = members_[rank]->recorder;
  const Schedule& schedule = *collective.schedule;
  const Seconds begin = simgrid::s4u::Engine::get_clock();
  std::vector<std::unique_ptr<const Schedule>> slices;
  if (is_sliced(collective))
    for (int i = 0; i < kSlices; ++i) slices.push_back(sliced(schedule, kSlices, i));
  CollectiveRound round{.collective = records_rounds_ ? collective.mark.id : 0};
  std::deque<Part> parts;
  if (slices.empty()) parts.emplace_back(schedule, collective.view, round);
  for (const auto& slice : slices) {
    parts.emplace_back(*slice, collective.view, round);
    ++round.slice;
  }
  for (Part& part : parts) post_round(rank, part);
  while (Part* part = wait_for_round(rank, parts)) {
    // Those of slices go on beside each other.
    if (part == &parts.front()) collective.mark.time.latency += latency(rank, part->execution);
    if (part->execution.bytes_to_add() > 0) add(rank, collective, *part);
    part->execution.finish_round();
    post_round(rank, *part);
  }
  recorder.transferred(traffic_of(schedule, size_of(collective.view.dtype)));
  recorder.communicated(schedule.name(), begin, simgrid::s4u::Engine::get_clock(),
                        collective.view.bytes(), -1, collective.mark);
}

bool ExactExecutor::is_sliced(const Collective& collective) {
  const Schedule& schedule = *collective.schedule;
  if (!office_.goes_by_trains() || !is_large_enough_to_slice(schedule, collective.view.bytes()))
    return false;
  const std::optional<ScheduleKey> key = schedule.key();
  if (!key) return can_be_sliced(schedule, kSlices);
  const auto [known, is_new] =
      can_be_sliced_.try_emplace({key->name, key->ranks, key->elements, key->option});
  if (is_new) known->second = can_be_sliced(schedule, kSlices);
  return known->second;
}

void ExactExecutor::add(int rank, Collective& collective, const Part& part) {
  Member& member = *members_[rank];
  const std::size_t bytes = part.execution.bytes_to_add();
  const Seconds now = simgrid::s4u::Engine::get_clock();
  const Seconds time = member.device_time(now, member.device.adding_time(bytes));
  collective.mark.time.reduce += time;
  simgrid::s4u::this_actor::sleep_for(time);
  if (records_rounds_)
    member.recorder.communicated("add", now, simgrid::s4u::Engine::get_clock(), bytes, -1,
                                 {.round = part.round});
}

void ExactExecutor::execute_in_memory(int rank, Collective& collective) {
  const Schedule& schedule = *collective.schedule;
  const Seconds begin = simgrid::s4u::Engine::get_clock();
  const Seconds time = in_memory_.run(rank, schedule, collective.view, lanes_[rank].waiter);
  Recorder& recorder = members_[rank]->recorder;
  recorder.transferred(traffic_of(schedule, size_of(collective.view.dtype)));
  collective.mark.time = {.fixed = time, .alone = time};
  recorder.communicated(schedule.name(), begin, simgrid::s4u::Engine::get_clock(),
                        collective.view.bytes(), -1, collective.mark);
}

Seconds ExactExecutor::latency(int rank, const ScheduleExecution& execution) const {
  Seconds longest = 0;
  for (const ReceivePiece& piece : execution.round().receives)
    longest = std::max(longest, office_.latency(piece.peer, rank));
  for (const SendPiece& piece : execution.round().sends)
    longest = std::max(longest, office_.latency(rank, piece.peer));
  return longest;
}

// Sends first, as real ranks do: Worker::send() says why.
void ExactExecutor::post_round(int rank, Part& part) {
  part.handles.clear();
  if (part.execution.done()) return;
  Waiter& waiter = lanes_[rank].waiter;
  ++part.round.number;
  part.execution.each_send([&](int peer, const View& view) {
    part.handles.push_back(
        office_.send(rank, peer, Channel::kCollective, part.round.slice, view, waiter, part.round));
  });
  part.execution.each_receive([&](int peer, const View& view) {
    part.handles.push_back(office_.receive(rank, peer, Channel::kCollective, part.round.slice, view,
                                           waiter, part.round));
  });
}

ExactExecutor::Part* ExactExecutor::wait_for_round(int rank, std::deque<Part>& parts) {
  std::vector<Handle> awaited;
  while (true) {
    awaited.clear();
    int fewest = std::numeric_limits<int>::max();
    for (Part& part : parts) {
      if (part.execution.done()) continue;
      const int left = pending(rank, part);
      if (left == 0) return &part;
      fewest = std::min(fewest, left);
      awaited.insert(awaited.end(), part.handles.begin(), part.handles.end());
    }
    if (awaited.empty()) return nullptr;
    lanes_[rank].waiter.wait(awaited, fewest, kForever);
  }
}

ExactExecutor::Part::~Part() {
  for (const Handle& handle : handles) operation_of(handle)->given_up = true;
}

int ExactExecutor::pending(int rank, const Part& part) const {
  int pending = 0;
  for (const Handle& handle : part.handles) {
    SimOperation& operation = *operation_of(handle);
    if (operation.error) std::rethrow_exception(operation.error);
    if (operation.done) continue;
    if (office_.unreachable(rank, operation)) throw PeerLost(operation.peer);
    ++pending;
  }
  return pending;
}

}  // namespace tandem
