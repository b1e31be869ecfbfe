#include "real/mpi/collective_queue.h"

#include <algorithm>

#include "core/collectives/sliced.h"
#include "core/collectives/taking_part.h"
#include "core/comm/errors.h"
#include "real/mpi/shared/direct_collective.h"

namespace tandem::mpi {
namespace {

/// From so many bytes a rank on messages are worth slicing: below, to ask for twice as many takes
/// longer than what is won.
constexpr std::size_t kSlicedBytes = 1 << 20;

}  // namespace

void CollectiveQueue::push(std::unique_ptr<const Schedule> schedule, View view,
                           DeviceCollective device, std::uint64_t mark, OnDone on_done) {
  waiting_.push_back(
      {std::move(schedule), std::move(view), std::move(device), mark, std::move(on_done)});
  if (!running_) begin_next();
}

void CollectiveQueue::begin_next() {
  while (!running_ && !waiting_.empty()) {
    Waiting next = std::move(waiting_.front());
    waiting_.pop_front();
    if (broken_) {
      next.on_done(broken_);
      continue;
    }
    running_.emplace(Running{.schedule = std::move(next.schedule),
                             .view = next.view,
                             .mark = next.mark,
                             .on_done = std::move(next.on_done),
                             .begin = clock_.now(),
                             .stepped = std::move(next.device.stepped),
                             .device = std::move(next.device.messages)});
    begin();
  }
}

void CollectiveQueue::begin() {
  if (running_->device) {
    running_->device_computes = true;
    return;
  }
  if (!running_->stepped) {
    auto plan = plans_.direct(*running_->schedule);
    if (!plan) return begin_by_messages();
    running_->stepped = in_memory(std::move(plan));
  }
  try {
    running_->stepped->begin(begun_);
  } catch (const RunError&) {
    running_->stepped->give_up();
    fail();
    finish();
  }
}

std::unique_ptr<SteppedCollective> CollectiveQueue::in_memory(
    std::shared_ptr<const DirectPlan> plan) {
  const View& view = running_->view;
  if (slots_.exist() && view.bytes() <= Slots::kBytes) {
    const Buffer stack = scratch(0, SmallCollective::stack_bytes(*plan), DType::kByte);
    return std::make_unique<SmallCollective>(node_, std::move(plan), view, slots_, stack.view());
  }
  const Buffer stack = scratch(0, DirectCollective::stack_bytes(*plan), DType::kByte);
  return std::make_unique<DirectCollective>(node_, std::move(plan), view, stack.view());
}

bool CollectiveQueue::step() {
  if (!needs_steps()) return false;
  if (running_->device) return step_device();
  SteppedCollective& stepped = *running_->stepped;
  bool moved = true;
  try {
    moved = stepped.step();
  } catch (const RunError&) {
    stepped.give_up();
    fail();
  }
  sender_ = stepped.awaited();
  if (!stepped.is_done() && !running_->error) return moved;
  if (stepped.is_refused() && !running_->error) {
    running_->stepped.reset();
    begin_by_messages();
  } else {
    finish();
  }
  begin_next();
  return true;
}

bool CollectiveQueue::step_device() {
  try {
    running_->device->enter();
    if (!running_->device->is_done()) return false;
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
    const std::optional<int> missed = running_->stepped->missed(lost);
    if (!missed) return;
    running_->stepped->give_up();
    given_up_.push_back(running_->view);
    running_->error = std::make_exception_ptr(PeerLost(*missed));
    finish();
    begin_next();
  }
}

void CollectiveQueue::begin_by_messages() {
  const Schedule& schedule = *running_->schedule;
  DeviceMessages* device = running_->device.get();
  const View view = device != nullptr ? device->view() : running_->view;
  const bool is_large = view.bytes() / static_cast<std::size_t>(schedule.ranks()) >= kSlicedBytes;
  const bool is_sliced =
      device == nullptr && is_large && plans_.can_be_sliced(schedule, kMostSlices);
  const int slices = is_sliced ? kMostSlices : 1;
  for (int slice = 0; slice < slices; ++slice) {
    const auto allocate = [this, device, slice](std::size_t elements, DType dtype) {
      return device != nullptr ? device->scratch(elements, dtype) : scratch(slice, elements, dtype);
    };
    std::shared_ptr<const Schedule> part = running_->schedule;
    if (slices > 1) part = sliced(schedule, slices, slice);
    running_->parts.push_back({{std::move(part), view, allocate}});
  }
  for (int slice = 0; slice < slices; ++slice) advance(slice);
  if (all_have_ended()) finish();
}

// Posts the slice's current round, if it or one after it has messages.
void CollectiveQueue::advance(int slice) {
  Part& part = running_->parts[slice];
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
  Part& part = running_->parts[slice];
  part.outstanding = part.execution.receives().size() + part.execution.sends().size();
  for (const RoundMessage& message : part.execution.sends())
    requests_.send(comm_, message.peer, slice, message.view, on_done);
  for (const RoundMessage& message : part.execution.receives()) {
    sender_ = message.peer;
    requests_.receive(comm_, message.peer, slice, message.view, on_done);
  }
}

void CollectiveQueue::message_done(int slice, const Outcome& outcome) {
  if (running_->device) running_->device->enter();
  if (!running_->error) {
    running_->error =
        outcome.cancelled ? std::make_exception_ptr(PeerLost(outcome.source)) : outcome.error;
  }
  Part& part = running_->parts[slice];
  if (--part.outstanding > 0) return;
  if (!running_->error) finish_round(slice);
  if (!all_have_ended()) return;
  finish();
  begin_next();
}

// What a device adds has to be there before it is sent on.
void CollectiveQueue::finish_round(int slice) {
  ScheduleExecution& execution = running_->parts[slice].execution;
  const bool device_adds = running_->device && execution.bytes_to_add() > 0;
  try {
    execution.finish_round();
    if (device_adds) running_->device->asked();
  } catch (const RunError&) {
    return fail();
  }
  running_->device_computes = device_adds;
  if (!device_adds) advance(slice);
}

// Of the error that is being handled; others may still read and write what is theirs to.
void CollectiveQueue::fail() {
  running_->error = std::current_exception();
  given_up_.push_back(running_->view);
}

bool CollectiveQueue::all_have_ended() const {
  if (running_->device_computes) return running_->error != nullptr;
  return std::ranges::all_of(running_->parts, [this](const Part& part) {
    return part.outstanding == 0 && (part.execution.done() || running_->error);
  });
}

void CollectiveQueue::finish() {
  if (!running_->error)
    record_messages(*running_->schedule, size_of(running_->view.dtype), recorder_);
  const Running ended = std::move(*running_);
  running_.reset();
  broken_ = ended.error;
  recorder_.communicated(ended.schedule->name(), ended.begin, clock_.now(), ended.view.bytes(), -1,
                         {.id = ended.mark});
  ended.on_done(ended.error);
}

Buffer CollectiveQueue::scratch(int slice, std::size_t elements, DType dtype) {
  const std::size_t bytes = elements * size_of(dtype);
  Buffer& kept = scratch_[slice];
  if (kept.view().elements < bytes) kept = make_host_buffer(bytes, DType::kByte);
  return {kept.view().owner, elements, dtype};
}

}  // namespace tandem::mpi
