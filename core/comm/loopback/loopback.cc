#include "core/comm/loopback/loopback.h"

#include <chrono>
#include <functional>
#include <thread>

#include "core/collectives/execution.h"
#include "core/comm/first_cause.h"
#include "core/comm/loopback/switchboard.h"
#include "core/record/recorder.h"

namespace tandem {
namespace {

using loopback::Pending;
using loopback::Switchboard;

/// Runs a rank's collectives one after the other, off its own thread.
class CollectiveThread {
 public:
  CollectiveThread() : thread_([this](const std::stop_token& stop) { run(stop); }) {}

  void enqueue(std::function<void()> collective) {
    std::lock_guard lock(mutex_);
    queue_.push_back(std::move(collective));
    added_.notify_one();
  }

 private:
  void run(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    while (added_.wait(lock, stop, [this] { return !queue_.empty(); })) {
      const std::function<void()> collective = std::move(queue_.front());
      queue_.pop_front();
      lock.unlock();
      collective();
      lock.lock();
    }
  }

  std::mutex mutex_;
  std::condition_variable_any added_;
  std::deque<std::function<void()>> queue_;
  std::jthread thread_;
};

class LoopbackWorker final : public Worker {
 public:
  LoopbackWorker(Switchboard& switchboard, Group group)
      : switchboard_(switchboard),
        group_(group),
        recorder_({}),
        begin_(std::chrono::steady_clock::now()) {}

  const Group& group() const override { return group_; }

  Seconds now() const override {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
  }

  Recorder& record() override { return recorder_; }

 protected:
  Buffer do_allocate(std::size_t elements, DType dtype) override {
    return make_host_buffer(elements, dtype);
  }
  Handle do_compute(const Kernel& kernel) override {
    if (kernel.body) kernel.body();
    return {};
  }

  Handle do_send(int peer, Tag tag, View view) override {
    return Handle(switchboard_.send(group_.rank, peer, Channel::kPointToPoint, tag, view));
  }

  Handle do_receive(int peer, Tag tag, View view) override {
    return Handle(switchboard_.receive(group_.rank, peer, Channel::kPointToPoint, tag, view));
  }

  Handle do_start(std::unique_ptr<const Schedule> schedule, View view) override {
    auto operation = std::make_shared<Pending>();
    // std::function wants to be copyable, so the schedule travels in a shared pointer.
    auto shared = std::make_shared<std::unique_ptr<const Schedule>>(std::move(schedule));
    collectives_.enqueue([this, operation, shared, view] {
      std::exception_ptr error;
      try {
        execute(**shared, view);
      } catch (...) {
        error = std::current_exception();
      }
      switchboard_.complete(group_.rank, *operation, error);
    });
    return Handle(operation);
  }

  std::optional<Completion> do_wait_any(std::span<Handle> handles, Seconds timeout) override {
    return switchboard_.wait_any(group_.rank, handles, timeout);
  }

 private:
  void execute(const Schedule& schedule, const View& view) {
    constexpr Tag kTag = 0;
    const Buffer scratch = scratch_of(schedule, view);
    std::vector<Handle> handles;
    for (ScheduleExecution run(schedule, view, scratch.view()); !run.done(); run.finish_round()) {
      run.each_receive([&](int peer, const View& piece) {
        recorder_.received(piece.bytes());
        handles.emplace_back(
            switchboard_.receive(group_.rank, peer, Channel::kCollective, kTag, piece));
      });
      run.each_send([&](int peer, const View& piece) {
        recorder_.sent(piece.bytes());
        handles.emplace_back(
            switchboard_.send(group_.rank, peer, Channel::kCollective, kTag, piece));
      });
      for (Handle& handle : handles) {
        switchboard_.wait_any(group_.rank, std::span(&handle, 1), kForever);
      }
      handles.clear();
    }
  }

  Switchboard& switchboard_;
  Group group_;
  Recorder recorder_;
  std::chrono::steady_clock::time_point begin_;
  CollectiveThread collectives_;  // last: its thread uses the others
};

void require_nothing_left_over(const Switchboard& switchboard) {
  const std::string left = switchboard.left_over();
  if (!left.empty()) throw RunError(left);
}

void rethrow_first(const std::vector<std::exception_ptr>& errors) {
  std::exception_ptr first;
  for (const std::exception_ptr& error : errors) keep_first_cause(first, error);
  if (first) std::rethrow_exception(first);
}

}  // namespace

void run_loopback(int ranks, const std::function<void(Worker&)>& member, Seconds patience) {
  Switchboard switchboard(ranks);
  std::vector<std::exception_ptr> errors(ranks);
  {
    std::vector<std::jthread> threads;
    for (int rank = 0; rank < ranks; ++rank) {
      threads.emplace_back([&, rank] {
        LoopbackWorker worker(switchboard, {.rank = rank, .size = ranks});
        worker.set_patience(patience);
        try {
          member(worker);
        } catch (...) {
          errors[rank] = std::current_exception();
        }
        switchboard.leave(rank);
      });
    }
  }
  rethrow_first(errors);
  require_nothing_left_over(switchboard);
}

}  // namespace tandem
