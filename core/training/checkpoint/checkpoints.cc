#include "core/training/checkpoint/checkpoints.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "core/base/error.h"
#include "core/base/terminal.h"
#include "core/comm/patience.h"
#include "core/data/dataset.h"
#include "core/record/recorder.h"
#include "core/training/checkpoint/figures.h"
#include "core/training/checkpoint/past.h"

namespace tandem {
namespace {

// Under which members tell rank 0; above all that strategies use.
constexpr Tag kReport = 32'001;

}  // namespace

/// What a member tells rank 0 of its file, as one message.
struct Checkpoints::Report {
  int iteration = 0;  ///< that the file is of
  FileSeal seal;
  char problem[240] = "";  ///< empty where it was written
};

Checkpoints::Checkpoints(const Scenario& scenario, Worker& worker, bool saves, int iterations,
                         std::size_t samples, double share)
    : scenario_(scenario),
      worker_(worker),
      saves_(saves && scenario.checkpoint),
      iterations_(iterations),
      share_(share),
      member_{.rank = worker.group().rank,
              .workers = scenario.workers,
              .servers = scenario.algorithm.servers()} {
  if (!saves_) return;
  if (!scenario.checkpoint->path) throw InputError("checkpoint.path is missing; give a folder");
  if (scenario.checkpoint->resume) open();
  agree();
  if (member_.rank == 0) kept_.emplace(*scenario.checkpoint->path, scenario, first_iteration());
  if (!saved_) return;
  first_batch_ = batch_on_other_workers(saved_->manifest.next_batch, samples, scenario.batch_size,
                                        saved_->manifest.saved.workers, scenario.workers);
}

void Checkpoints::open() {
  const std::filesystem::path checkpoint = path(*scenario_.checkpoint->resume);
  try {
    saved_.emplace(checkpoint, scenario_);
  } catch (const RunError& error) {
    throw InputError(fmt::format("can't go on from {}: {}", checkpoint.string(), error.what()));
  }
  if (first_iteration() > iterations_)
    throw InputError(fmt::format("{} is after {} iterations, but this training has {}{}; give more",
                                 checkpoint.string(), first_iteration(), iterations_,
                                 scenario_.warmup_iterations > 0 ? " with its warm-up" : ""));
}

// Where someone else's launcher started the ranks, each has looked for itself.
void Checkpoints::agree() {
  const EndlessPatience patience(worker_);  // each has read all files, from a disk that may be slow
  const Buffer message = worker_.allocate(1, DType::kInt64);
  std::int64_t& number = message.view().numbers<std::int64_t>()[0];
  if (member_.rank > 0) {
    number = first_iteration();
    Handle told = worker_.send(0, kReport, message.view());
    worker_.wait(told);
    return;
  }
  for (int peer = 1; peer < member_.members(); ++peer) {
    Handle received = worker_.receive(peer, kReport, message.view());
    worker_.wait(received);
    if (number != first_iteration())
      throw InputError(
          fmt::format("rank {} would go on after {} iterations, but rank 0 after {}; name one by "
                      "checkpoint.resume",
                      peer, number, first_iteration()));
  }
}

bool Checkpoints::has_own_past() const {
  return saved_ && saved_->manifest.saved.workers == member_.workers &&
         saved_->manifest.saved.servers == member_.servers;
}

void Checkpoints::restore(const VisitState& visit) {
  if (!saved_) return;
  try {
    const Membership& saved = saved_->manifest.saved;
    restore_state(saved_->files, saved, member_, visit);
    worker_.record().resume(has_own_past() ? own_past() : inherited_past());
  } catch (const RunError& error) {
    throw InputError(
        fmt::format("can't go on from {}: {}", path(first_iteration()).string(), error.what()));
  }
  saved_->files.clear();
}

RecordedPast Checkpoints::own_past() const {
  RecordedPast past;
  restore_state(saved_->files, saved_->manifest.saved, member_,
                [&](StateVisitor& visitor) { visit_past(visitor, past); });
  if (member_.is_worker()) require_past_of(past, first_iteration());
  return past;
}

// The first member evaluates, and tells what all did.
RecordedPast Checkpoints::inherited_past() const {
  if (member_.rank > 0) return {.inherited = {.iterations = first_iteration()}};
  const Membership& saved = saved_->manifest.saved;
  Scenario theirs = scenario_;
  theirs.workers = saved.workers;
  return tandem::inherited_past(saved_->files, saved, first_iteration(),
                                theirs.samples_per_iteration());
}

bool Checkpoints::is_due(int iterations_done) const {
  if (!saves_ || iterations_done == first_iteration()) return false;
  return iterations_done % scenario_.checkpoint->every == 0 || iterations_done == iterations_;
}

Leg Checkpoints::leg_after(int iterations_done) const {
  Leg leg{.first = iterations_done, .end = iterations_};
  if (!saves_) return leg;
  const std::int64_t every = scenario_.checkpoint->every;
  const std::int64_t next = (iterations_done / every + 1) * every;
  leg.end = static_cast<int>(std::min<std::int64_t>(next, iterations_));
  leg.rests = is_due(leg.end);
  return leg;
}

std::filesystem::path Checkpoints::path(int iterations_done) const {
  return checkpoint_path(*scenario_.checkpoint->path, iterations_done);
}

double Checkpoints::done_after(int iterations_done) const {
  const double before = saved_ ? saved_->manifest.done : 0;
  return before + (iterations_done - first_iteration()) * share_;
}

Checkpoints::Report Checkpoints::write(int iterations_done, const VisitState& visit) const {
  Report report{.iteration = iterations_done, .seal = {}};
  RecordedPast past = worker_.record().past();
  try {
    report.seal = write_member_file(member_path(path(iterations_done), member_.rank), member_,
                                    [&](StateVisitor& visitor) {
                                      visit(visitor);
                                      visit_past(visitor, past);
                                    });
  } catch (const std::exception& error) {
    std::strncpy(report.problem, error.what(), sizeof report.problem - 1);
  }
  return report;
}

Handle Checkpoints::save(int iterations_done, const VisitState& visit) {
  const Report report = write(iterations_done, visit);
  if (member_.rank == 0) {
    own_seal_ = report.seal;
    own_problem_ = report.problem;
    return {};
  }
  const Buffer message = worker_.allocate(sizeof report, DType::kByte);
  std::memcpy(message.view().data, &report, sizeof report);
  return worker_.send(0, kReport, message.view());
}

// Those that are left from a checkpoint that rank 0 gave up before it took them come first.
Checkpoints::Report Checkpoints::take_report(int peer, int iterations_done) {
  const Buffer message = worker_.allocate(sizeof(Report), DType::kByte);
  Report report;
  do {
    Handle received = worker_.receive(peer, kReport, message.view());
    worker_.wait(received);
    std::memcpy(&report, message.view().data, sizeof report);
  } while (report.iteration != iterations_done);
  return report;
}

void Checkpoints::take_reports(Manifest& manifest) {
  manifest.files = {own_seal_};
  std::string problem = own_problem_;
  const EndlessPatience patience(worker_);  // a disk may be slow
  for (int peer = 1; peer < member_.members(); ++peer) {
    const Report report = take_report(peer, manifest.iteration);
    manifest.files.push_back(report.seal);
    if (problem.empty()) problem = report.problem;
  }
  if (!problem.empty()) throw RunError(problem);
}

bool Checkpoints::complete(int iterations_done, std::uint64_t next_batch) {
  if (member_.rank != 0) return false;
  const std::filesystem::path checkpoint = path(iterations_done);
  try {
    Manifest manifest{.iteration = iterations_done,
                      .done = done_after(iterations_done),
                      .next_batch = next_batch,
                      .saved = member_,
                      .training = training_identity(scenario_),
                      .figures = figures_to_json(scenario_),
                      .files = {}};
    take_reports(manifest);
    manifest.save(checkpoint);
  } catch (const PeerLost&) {
    throw;
  } catch (const std::exception& error) {
    remove_checkpoint(checkpoint);
    problems_.push_back(
        fmt::format("no checkpoint after {} iterations: {}", iterations_done, error.what()));
    print_line(stderr, "tandem: warning: " + problems_.back());
    return false;
  }
  try {
    kept_->add(iterations_done);
  } catch (const std::filesystem::filesystem_error& error) {
    print_line(stderr,
               fmt::format("tandem: warning: older checkpoints may stay: {}", error.what()));
  }
  return true;
}

}  // namespace tandem
