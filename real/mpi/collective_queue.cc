#include "real/mpi/collective_queue.h"

#include "core/comm/errors.h"

namespace tandem::mpi {
namespace {

// One tag is enough: messages between two ranks match in order, and all members run the same
// collectives in the same order.
constexpr int kTag = 0;

}  // namespace

void CollectiveQueue::push(std::unique_ptr<const Schedule> schedule, View view, OnDone on_done) {
  waiting_.push_back({std::move(schedule), view, std::move(on_done)});
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
    const auto allocate = [this](std::size_t elements, DType dtype) {
      return scratch(elements, dtype);
    };
    running_.emplace(
        Running{.execution = ScheduleExecution(std::move(next.schedule), next.view, allocate),
                .view = next.view,
                .on_done = std::move(next.on_done),
                .begin = clock_.now(),
                .error = nullptr});
    advance();
  }
}

// Posts the current round, or, where it and those after it have no messages, ends the collective.
void CollectiveQueue::advance() {
  while (!running_->execution.done()) {
    post_round();
    if (running_->outstanding > 0) return;
    running_->execution.finish_round();
  }
  finish();
}

// Sends first: Worker::send() says why.
void CollectiveQueue::post_round() {
  const auto on_done = [this](const Outcome& outcome) { message_done(outcome); };
  const ScheduleExecution& execution = running_->execution;
  running_->outstanding = execution.receives().size() + execution.sends().size();
  for (const RoundMessage& message : execution.sends()) {
    recorder_.sent(message.view.bytes());
    requests_.send(comm_, message.peer, kTag, message.view, on_done);
  }
  for (const RoundMessage& message : execution.receives()) {
    const std::size_t bytes = message.view.bytes();
    sender_ = message.peer;
    requests_.receive(comm_, message.peer, kTag, message.view,
                      [this, on_done, bytes](const Outcome& outcome) {
                        recorder_.received(bytes);
                        on_done(outcome);
                      });
  }
}

void CollectiveQueue::message_done(const Outcome& outcome) {
  if (!running_->error) {
    running_->error =
        outcome.cancelled ? std::make_exception_ptr(PeerLost(outcome.source)) : outcome.error;
  }
  if (--running_->outstanding > 0) return;
  if (running_->error) {
    finish();
  } else {
    running_->execution.finish_round();
    advance();
  }
  begin_next();
}

void CollectiveQueue::finish() {
  const Running ended = std::move(*running_);
  running_.reset();
  broken_ = ended.error;
  recorder_.communicated(ended.execution.schedule().name(), ended.begin, clock_.now(),
                         ended.view.bytes(), -1);
  ended.on_done(ended.error);
}

Buffer CollectiveQueue::scratch(std::size_t elements, DType dtype) {
  const std::size_t bytes = elements * size_of(dtype);
  if (scratch_.view().elements < bytes) scratch_ = make_host_buffer(bytes, DType::kByte);
  return {scratch_.view().owner, elements, dtype};
}

}  // namespace tandem::mpi
