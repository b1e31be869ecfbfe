#include "sim/job.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/error.h"
#include "core/comm/first_cause.h"
#include "sim/executors/exact.h"
#include "sim/executors/folded.h"
#include "sim/executors/fused.h"
#include "sim/grouped_flows.h"

namespace tandem {
Job::Job(Engine& engine, JobOptions options)
    : engine_(engine),
      options_(std::move(options)),
      places_(options_.folded.value_or(Places(static_cast<int>(options_.devices.size())))),
      fabric_(engine, engine.place(places_.is_folded() ? engine.hosts().size() : places_.count(),
                                   options_.hosts)),
      lives_(options_.devices.size()) {
  std::vector<Recorder*> recorders;
  for (int place = 0; place < places_.count(); ++place) {
    const int rank = places_.rank(place);
    const bool is_traced = !options_.is_traced || options_.is_traced(rank);
    owned_members_.push_back(
        std::make_unique<Member>(place, rank, fabric_.host(place), options_.devices[place],
                                 is_traced ? options_.traced : TracedIterations{}));
    members_.push_back(owned_members_.back().get());
    members_.back()->compute_lost = fabric_.calibration().compute_lost;
    recorders.push_back(&members_.back()->recorder);
  }
  office_ =
      std::make_unique<PostOffice>(fabric_, std::move(recorders), places_,
                                   options_.by_trains && TrainNetwork::fits(engine), options_.seed);
  for (Member* member : members_) office_->add_waiter(member->place, member->waiter);
  places_.is_folded() ? fold() : choose();
  // Each its own, and where messages of collectives are simulated one for these.
  const std::size_t each_has = choice_.kind == ExecutorKind::kExact ? 2 : 1;
  Engine::expect_actors(each_has * members_.size());
}

void Job::fold() {
  const bool asked = options_.executor == ExecutorKind::kFused;
  choice_ = {ExecutorKind::kFused, asked ? "the scenario asks for it" : "auto: "};
  std::string reason = "the messages of like workers are one flow";
  for (const CollectiveUse& use : options_.collectives) {
    const FoldedPlan plan(*use.factory(places_.members(), 0, use.elements), size_of(use.dtype),
                          fabric_, members_.front()->device);
    if (plan.refusal()) throw ShortCutFailed(ShortCut::kFolding, *plan.refusal());
    reason = plan.reason();
  }
  if (!asked) choice_.reason += reason;
  if (places_.count() > 1) {
    if (const auto refusal = group_flows(fabric_, places_.stands_for(0)))
      throw ShortCutFailed(ShortCut::kFolding, *refusal);
  }
  executor_ = std::make_unique<FoldedExecutor>(fabric_, *members_.front());
}

void Job::choose() {
  const auto adding_time = [this](int rank, std::size_t bytes) {
    return members_[rank]->device.adding_time(bytes);
  };
  Circumstances circumstances = options_.circumstances;
  if (fabric_.calibration().does_collectives_in_memory())
    circumstances.disturbance = "members do collectives in the memory of a host that they share";
  choice_ = choose_executor(options_.executor, options_.depth, options_.collectives, fabric_,
                            adding_time, circumstances);
  if (choice_.kind == ExecutorKind::kFused) {
    executor_ = std::make_unique<FusedExecutor>(fabric_, *office_, members_);
  } else {
    executor_ =
        std::make_unique<ExactExecutor>(fabric_, *office_, members_, options_.traces_rounds);
  }
}

void Job::run(const std::function<void(Worker&)>& member) {
  for (Member* each : members_) {
    simgrid_compat::add_actor("rank " + std::to_string(each->rank), each->host,
                              [this, place = each->place, &member] { live(place, member); });
  }
  simgrid::s4u::Host::on_state_change_cb([this](const simgrid::s4u::Host& host) {
    if (!host.is_on()) failed_at_.try_emplace(&host, simgrid::s4u::Engine::get_clock());
  });
  simgrid::s4u::Engine::on_deadlock_cb([this] { note_deadlock(); });
  engine_.run();
  report();
}

void Job::live(int place, const std::function<void(Worker&)>& member) {
  Life& life = lives_[place];
  simgrid::s4u::this_actor::on_exit([this, place](bool) { leave(place); });
  SimWorker worker(places_, *members_[place], *office_, *executor_,
                   options_.depth == Depth::kPayload);
  // Nothing may switch actors while an exception is being handled: they share a thread.
  try {
    member(worker);
    worker.catch_up();
    life.ended = true;
  } catch (const simgrid::ForcefulKillException&) {
    throw;
  } catch (...) {
    life.error = std::current_exception();
  }
}

void Job::leave(int place) {
  if (!deadlock_.empty()) return;  // all are being killed, and none is to be woken
  office_->leave(place);
  executor_->leave(place);
  if (++left_ == places_.count() && at_end_) at_end_();
}

void Job::note_deadlock() {
  constexpr int kNamed = 8;
  int stuck = 0;
  for (const Member* member : members_) {
    const Life& life = lives_[member->place];
    if (life.ended || life.error || !member->host->is_on()) continue;
    if (++stuck > kNamed) continue;
    deadlock_ += fmt::format("{}rank {} waits for {}", deadlock_.empty() ? "" : ", ", member->rank,
                             waits_for(member->waiter.waiting_for()));
  }
  if (stuck > kNamed) deadlock_ += fmt::format(", and {} ranks more", stuck - kNamed);
}

// Who asks for fused is told; `auto` may do without.
void Job::rethrow(const std::exception_ptr& error) const {
  try {
    std::rethrow_exception(error);
  } catch (const ShortCutFailed& failed) {
    if (failed.which() != ShortCut::kFusing || options_.executor != ExecutorKind::kFused) throw;
    throw InputError(fused_refusal(failed.what()));
  }
}

void Job::report() const {
  std::exception_ptr first;
  for (const Life& life : lives_) keep_first_cause(first, life.error);
  if (first && !is_peer_lost(first)) rethrow(first);
  for (const Member* member : members_) {
    if (!member->host->is_on()) {
      throw InputError(fmt::format(
          "platform {}: host {} of rank {} fails at {:.6g} s of simulated time, by its state_file; "
          "what a job makes of that is simulated by faults.fail of a scenario",
          engine_.platform().string(), member->host->get_cname(), member->rank,
          failed_at_.at(member->host)));
    }
  }
  if (first) std::rethrow_exception(first);
  if (!deadlock_.empty()) {
    throw RunError(fmt::format("deadlock at {} s of simulated time: {}",
                               simgrid::s4u::Engine::get_clock(), deadlock_));
  }
  if (const std::string left = office_->left_over(); !left.empty()) throw RunError(left);
}

bool Job::goes_by_trains() const {
  return office_->goes_by_trains();
}

TokenBuckets& Job::shapers() {
  return office_->shapers();
}

std::uint64_t Job::events() const {
  std::uint64_t events = office_->carried();
  for (const Member* member : members_) events += member->events;
  return events;
}

}  // namespace tandem
