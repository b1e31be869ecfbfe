#include "sim/executors/exact.h"

#include <algorithm>

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
  Member& member = *members_[rank];
  const Schedule& schedule = *collective.schedule;
  const Buffer scratch = scratch_of(schedule, collective.view);
  const Seconds begin = simgrid::s4u::Engine::get_clock();
  std::vector<Handle> handles;
  CollectiveRound round{.collective = records_rounds_ ? collective.mark.id : 0};
  for (ScheduleExecution execution(schedule, collective.view, scratch.view()); !execution.done();
       execution.finish_round()) {
    collective.mark.time.latency += latency(rank, execution);
    ++round.number;
    post_round(rank, execution, round, handles);
    wait_for_round(rank, handles);
    if (execution.bytes_to_add() > 0) {
      const Seconds now = simgrid::s4u::Engine::get_clock();
      const Seconds time =
          member.device_time(now, member.device.adding_time(execution.bytes_to_add()));
      collective.mark.time.reduce += time;
      simgrid::s4u::this_actor::sleep_for(time);
      if (records_rounds_)
        member.recorder.communicated("add", now, simgrid::s4u::Engine::get_clock(),
                                     execution.bytes_to_add(), -1, {.round = round});
    }
  }
  member.recorder.communicated(schedule.name(), begin, simgrid::s4u::Engine::get_clock(),
                               collective.view.bytes(), -1, collective.mark);
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

void ExactExecutor::post_round(int rank, const ScheduleExecution& execution,
                               const CollectiveRound& round, std::vector<Handle>& handles) {
  constexpr Tag kTag = 0;
  Waiter& waiter = lanes_[rank].waiter;
  handles.clear();
  execution.each_receive([&](int peer, const View& view) {
    handles.push_back(office_.receive(rank, peer, Channel::kCollective, kTag, view, waiter, round));
  });
  execution.each_send([&](int peer, const View& view) {
    handles.push_back(office_.send(rank, peer, Channel::kCollective, kTag, view, waiter, round));
  });
}

void ExactExecutor::wait_for_round(int rank, const std::vector<Handle>& handles) {
  while (true) {
    int pending = 0;
    for (const Handle& handle : handles) {
      SimOperation& operation = *operation_of(handle);
      if (operation.error) std::rethrow_exception(operation.error);
      if (operation.done) continue;
      if (office_.unreachable(rank, operation)) {
        operation.given_up = true;
        throw PeerLost(operation.peer);
      }
      ++pending;
    }
    if (pending == 0) return;
    lanes_[rank].waiter.wait(handles, pending, kForever);
  }
}

}  // namespace tandem
