#include "sim/job.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/comm/first_cause.h"
#include "sim/executors/exact.h"
#include "sim/executors/fused.h"

namespace tandem {
Job::Job(Engine& engine, JobOptions options)
    : engine_(engine),
      options_(std::move(options)),
      fabric_(engine, engine.place(options_.devices.size(), options_.hosts)),
      lives_(options_.devices.size()) {
  std::vector<Recorder*> recorders;
  for (int rank = 0; rank < fabric_.members(); ++rank) {
    owned_members_.push_back(std::make_unique<Member>(
        rank, fabric_.host(rank), options_.devices[rank], options_.first_traced, options_.traced));
    members_.push_back(owned_members_.back().get());
    recorders.push_back(&members_.back()->recorder);
  }
  office_ = std::make_unique<PostOffice>(fabric_, std::move(recorders));
  for (Member* member : members_) office_->add_waiter(member->rank, member->waiter);
  const auto adding_time = [this](int rank, std::size_t bytes) {
    return members_[rank]->device.adding_time(bytes);
  };
  choice_ = choose_executor(options_.executor, options_.depth, options_.collectives, fabric_,
                            adding_time, options_.starts_together);
  if (choice_.kind == ExecutorKind::kFused) {
    executor_ = std::make_unique<FusedExecutor>(fabric_, *office_, members_);
  } else {
    executor_ = std::make_unique<ExactExecutor>(*office_, members_);
  }
}

void Job::run(const std::function<void(Worker&)>& member) {
  for (Member* each : members_) {
    const int rank = each->rank;
    simgrid_compat::add_actor("rank " + std::to_string(rank), each->host,
                              [this, rank, &member] { live(rank, member); });
  }
  simgrid::s4u::Engine::on_deadlock_cb([this] { note_deadlock(); });
  engine_.run();
  report();
}

void Job::live(int rank, const std::function<void(Worker&)>& member) {
  Life& life = lives_[rank];
  simgrid::s4u::this_actor::on_exit([this, rank](bool) { leave(rank); });
  SimWorker worker({.rank = rank, .size = fabric_.members()}, *members_[rank], *office_, *executor_,
                   options_.depth == Depth::kPayload);
  // Nothing may switch actors while an exception is being handled: they share a thread.
  try {
    member(worker);
    life.ended = true;
  } catch (const simgrid::ForcefulKillException&) {
    throw;
  } catch (...) {
    life.error = std::current_exception();
  }
}

void Job::leave(int rank) {
  if (!deadlock_.empty()) return;  // all are being killed, and none is to be woken
  office_->leave(rank);
  executor_->leave(rank);
}

void Job::note_deadlock() {
  constexpr int kNamed = 8;
  int stuck = 0;
  for (const Member* member : members_) {
    const Life& life = lives_[member->rank];
    if (life.ended || life.error || !member->host->is_on()) continue;
    if (++stuck > kNamed) continue;
    deadlock_ += fmt::format("{}rank {} waits for {}", deadlock_.empty() ? "" : ", ", member->rank,
                             waits_for(member->waiter.waiting_for()));
  }
  if (stuck > kNamed) deadlock_ += fmt::format(", and {} ranks more", stuck - kNamed);
}

void Job::report() const {
  std::exception_ptr first;
  for (const Life& life : lives_) keep_first_cause(first, life.error);
  if (first && !is_peer_lost(first)) std::rethrow_exception(first);
  for (const Member* member : members_) {
    if (!member->host->is_on()) {
      throw RunError(fmt::format("rank {} was lost with its host {}", member->rank,
                                 member->host->get_cname()));
    }
  }
  if (first) std::rethrow_exception(first);
  if (!deadlock_.empty()) {
    throw RunError(fmt::format("deadlock at {} s of simulated time: {}",
                               simgrid::s4u::Engine::get_clock(), deadlock_));
  }
  if (const std::string left = office_->left_over(); !left.empty()) throw RunError(left);
}

std::uint64_t Job::messages() const {
  std::uint64_t messages = 0;
  for (const Member* member : members_) messages += member->recorder.traffic().sent_messages;
  return messages;
}

}  // namespace tandem
