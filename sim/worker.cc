#include "sim/worker.h"

#include <algorithm>
#include <utility>

#include "core/collectives/schedule.h"
#include "sim/engine.h"

namespace tandem {

Buffer SimWorker::do_allocate(std::size_t elements, DType dtype) {
  return payload_ ? make_host_buffer(elements, dtype) : make_size_only_buffer(elements, dtype);
}

void SimWorker::catch_up() {
  const Seconds ahead = std::exchange(ahead_, 0);
  if (ahead == 0) return;
  ++member_.events;
  simgrid::s4u::this_actor::sleep_for(ahead);
}

Handle SimWorker::do_send(int peer, Tag tag, View view) {
  catch_up();
  return office_.send(member_.place, places_.place(peer), Channel::kPointToPoint, tag, view,
                      member_.waiter);
}

Handle SimWorker::do_send_in_turn(int peer, Tag tag, View view) {
  catch_up();
  return office_.send_in_turn(member_.place, places_.place(peer), tag, view, member_.waiter);
}

Handle SimWorker::do_receive(int peer, Tag tag, View view) {
  catch_up();
  return office_.receive(member_.place, places_.place(peer), Channel::kPointToPoint, tag, view,
                         member_.waiter);
}

Handle SimWorker::do_start(std::unique_ptr<const Schedule> schedule, View view) {
  catch_up();
  auto operation = std::make_shared<SimOperation>();
  operation->waiter = &member_.waiter;
  executor_.start(member_.place, std::move(schedule), view, operation);
  return Handle(std::move(operation));
}

Handle SimWorker::do_compute(const Kernel& kernel) {
  const int iteration = member_.recorder.iteration_under_way();
  ahead_ +=
      member_.device_time(now(), std::max(0.0, member_.device.kernel_time(kernel, iteration)));
  if (member_.compute_lost > 0) make_up_for_losses();
  if (payload_ && kernel.body) {
    catch_up();  // to see what has arrived by its end
    kernel.body();
  }
  return {};
}

// What it loses while it makes up for losses, it loses too.
void SimWorker::make_up_for_losses() {
  Seconds busy = member_.in_memory.until(simgrid::s4u::Engine::get_clock());
  catch_up();
  while (true) {
    const Seconds before = std::exchange(busy, member_.in_memory.until(now()));
    ahead_ = member_.compute_lost * (busy - before);
    if (ahead_ <= kTimingPrecision) return;
    catch_up();
  }
}

std::optional<Completion> SimWorker::take_completed(std::span<Handle> handles) const {
  for (std::size_t i = 0; i < handles.size(); ++i) {
    if (handles[i].empty()) continue;
    const SimOperation& operation = *operation_of(handles[i]);
    if (office_.unreachable(member_.place, operation)) {
      const PeerLost lost(places_.rank(operation.peer));
      operation_of(handles[i])->given_up = true;
      handles[i].reset();
      throw lost;
    }
    if (!operation.done && operation.completes_at > now() + kTimingPrecision) continue;
    const Completion completion{i, places_.rank(operation.peer), operation.moved};
    const std::exception_ptr error = operation.error;
    handles[i].reset();
    if (error) std::rethrow_exception(error);
    return completion;
  }
  return std::nullopt;
}

std::optional<Completion> SimWorker::do_wait_any(std::span<Handle> handles, Seconds timeout) {
  catch_up();
  const Seconds deadline = now() + timeout;
  while (true) {
    if (auto completion = take_completed(handles)) return completion;
    if (now() >= deadline - kTimingPrecision) return std::nullopt;
    Seconds next = deadline;
    for (const Handle& handle : handles) {
      if (!handle.empty()) next = std::min(next, operation_of(handle)->completes_at);
    }
    ++member_.events;
    member_.waiter.wait(handles, 1, next - now());
  }
}

}  // namespace tandem
