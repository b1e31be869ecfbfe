#include "real/mpi/collective_queue.h"

#include <algorithm>

#include "core/collectives/taking_part.h"
#include "core/comm/errors.h"
#include "real/mpi/shared/direct_collective.h"

namespace tandem::mpi {

void CollectiveQueue::push(std::shared_ptr<Collective> collective) {
  if (running_) {
    waiting_.push_back(std::move(collective));
  } else {
    begin(std::move(collective));
  }
}

void CollectiveQueue::begin_next() {
  while (!running_ && !waiting_.empty()) {
    std::shared_ptr<Collective> next = std::move(waiting_.front());
    waiting_.pop_front();
    begin(std::move(next));
  }
}

void CollectiveQueue::begin(std::shared_ptr<Collective> collective) {
  if (broken_) return collective->complete(-1, broken_);
  running_ = std::move(collective);
  running_->plan = &plans_.of(*running_->schedule);
  running_->begin = span_time(clock_, recorder_);
  DeviceCollective& device = running_->device;
  if (device.messages) {
    running_->device_computes = true;
    return;
  }
  const auto& plan = running_->plan->direct();
  if (!device.stepped && plan) device.stepped = in_memory(plan);
  device.stepped ? begin_stepped() : begin_by_messages();
}

void CollectiveQueue::begin_stepped() {
  SteppedCollective& stepped = *running_->device.stepped;
  try {
    stepped.begin(begun_);
  } catch (const RunError&) {
    stepped.give_up();
    fail();
    finish();
  }
}

std::unique_ptr<SteppedCollective> CollectiveQueue::in_memory(
    const std::shared_ptr<const DirectPlan>& plan) {
  const View& view = running_->view;
  if (slots_.exist() && view.bytes() <= Slots::kBytes) {
    const View stack = scratch(0, SmallCollective::stack_bytes(*plan), DType::kByte);
    return std::make_unique<SmallCollective>(node_, plan, view, slots_, stack);
  }
  const View stack = scratch(0, DirectCollective::stack_bytes(*plan), DType::kByte);
  return std::make_unique<DirectCollective>(node_, plan, view, stack);
}

bool CollectiveQueue::step() {
  if (!needs_steps()) return false;
  if (running_->device.messages) return step_device();
  SteppedCollective& stepped = *running_->device.stepped;
  bool moved = true;
  try {
    moved = stepped.step();
  } catch (const RunError&) {
    stepped.give_up();
    fail();
  }
  sender_.store(stepped.awaited(), std::memory_order_relaxed);
  if (!stepped.is_done() && !running_->error) return moved;
  if (stepped.is_refused() && !running_->error) {
    running_->device.stepped.reset();
    begin_by_messages();
  } else {
    finish();
  }
  begin_next();
  return true;
}

bool CollectiveQueue::step_device() {
  try {
    running_->device.messages->enter();
    if (!running_->device.messages->is_done()) return false;
    running_->device_computes = false;
    if (running_->parts.empty()) {
      begin_by_messages();
    } else {
      advance(0);
    }
  } catch (const RunError&) {
    fail();
  }
  if (running_ && all_have_ended()) finish();
  begin_next();
  return true;
}

// Whoever has left has said before what it had done.
void CollectiveQueue::give_up_on(const std::function<bool(int)>& lost) {
  while (is_stepped() && !step()) {
    SteppedCollective& stepped = *running_->device.stepped;
    const std::optional<int> missed = stepped.missed(lost);
    if (!missed) return;
    stepped.give_up();
    running_->error = std::make_exception_ptr(PeerLost(*missed));
    finish();
    begin_next();
  }
}

void CollectiveQueue::begin_by_messages() {
  const Schedule& schedule = *running_->schedule;
  const bool is_sliced = is_large_enough_to_slice(schedule, running_->view.bytes()) &&
                         !running_->device.messages &&
                         running_->plan->can_be_sliced(schedule, kSlices);
  const DeviceMessages* device = running_->device.messages.get();
  const View view = device != nullptr ? device->view() : running_->view.unowned();
  auto& parts = running_->parts;
  if (is_sliced) {
    for (int slice = 0; slice < kSlices; ++slice) {
      auto part = sliced(schedule, kSlices, slice);
      View scratch = landing(slice, scratch_elements(*part));
      parts.emplace_back(std::move(part), view, std::move(scratch));
    }
  } else {
    const CollectivePlan& plan = *running_->plan;
    parts.emplace_back(schedule, view, landing(0, plan.scratch_elements()), plan.rounds());
  }
  for (int slice = 0; slice < static_cast<int>(parts.size()); ++slice) advance(slice);
  if (all_have_ended()) finish();
}

/// Where what is to be added lands.
View CollectiveQueue::landing(int slice, std::size_t elements) {
  if (elements == 0) return {};
  const DType dtype = running_->view.dtype;
  DeviceMessages* device = running_->device.messages.get();
  if (device != nullptr) return device->scratch(elements, dtype).view();
  return scratch(slice, elements, dtype);
}

// Posts the slice's current round, if it or one after it has messages.
void CollectiveQueue::advance(int slice) {
  CollectivePart& part = running_->parts[slice];
  while (!part.execution.done()) {
    post_round(slice);
    if (part.outstanding > 0) return;
    part.execution.finish_round();
  }
}

// Sends first: Worker::send() says why. A slice's number is its tag; else one would be enough:
// messages between two ranks match in order, and all members run the same collectives in the same
// order.
void CollectiveQueue::post_round(int slice) {
  const auto on_done = [this, slice](const Outcome& outcome) { message_done(slice, outcome); };
  CollectivePart& part = running_->parts[slice];
  part.outstanding = part.execution.messages();
  part.execution.each_send(
      [&](int peer, View view) { requests_.send(comm_, peer, slice, std::move(view), on_done); });
  part.execution.each_receive([&](int peer, View view) {
    sender_.store(peer, std::memory_order_relaxed);
    requests_.receive(comm_, peer, slice, std::move(view), on_done);
  });
}

void CollectiveQueue::message_done(int slice, const Outcome& outcome) {
  if (running_->device.messages) running_->device.messages->enter();
  if (!running_->error) {
    running_->error =
        outcome.cancelled ? std::make_exception_ptr(PeerLost(outcome.source)) : outcome.error;
  }
  CollectivePart& part = running_->parts[slice];
  if (--part.outstanding > 0) return;
  if (!running_->error) finish_round(slice);
  if (!all_have_ended()) return;
  finish();
  begin_next();
}

// What a device adds has to be there before it is sent on.
void CollectiveQueue::finish_round(int slice) {
  ScheduleExecution& execution = running_->parts[slice].execution;
  DeviceMessages* device = running_->device.messages.get();
  const bool device_adds = device != nullptr && execution.bytes_to_add() > 0;
  try {
    execution.finish_round();
    if (device_adds) device->asked();
  } catch (const RunError&) {
    return fail();
  }
  running_->device_computes = device_adds;
  if (!device_adds) advance(slice);
}

// Of the error that is being handled.
void CollectiveQueue::fail() {
  running_->error = std::current_exception();
}

bool CollectiveQueue::all_have_ended() const {
  if (running_->device_computes) return running_->error != nullptr;
  return std::ranges::all_of(running_->parts, [this](const CollectivePart& part) {
    return part.outstanding == 0 && (part.execution.done() || running_->error);
  });
}

// The member may hold it for longer, but not what it ran with.
void CollectiveQueue::finish() {
  const std::shared_ptr<Collective> ended = std::move(running_);
  if (!ended->error)
    recorder_.transferred(ended->plan->traffic(*ended->schedule, size_of(ended->view.dtype)));
  recorder_.communicated(ended->schedule->name(), ended->begin, span_time(clock_, recorder_),
                         ended->view.bytes(), -1, {.id = ended->moved.message});
  if (ended->error) given_up_.push_back(ended->view);
  ended->parts.clear();
  ended->device = {};
  ended->view = {};
  broken_ = ended->error;
  ended->complete(-1, broken_);
}

// Nothing lands there any more when the next collective begins.
View CollectiveQueue::scratch(int slice, std::size_t elements, DType dtype) {
  const std::size_t bytes = elements * size_of(dtype);
  Buffer& kept = scratch_[slice];
  if (kept.view().elements < bytes) kept = make_host_buffer(bytes, DType::kByte);
  return {kept.view().data, elements, dtype};
}

}  // namespace tandem::mpi
