#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/comm/worker.h"
#include "core/record/recorder.h"
#include "core/scenario/scenario.h"
#include "core/training/checkpoint/choose.h"
#include "core/training/checkpoint/keep.h"
#include "core/training/checkpoint/leg.h"

namespace tandem {

/// Saves and restores the state of one member of a job, as the scenario's `checkpoint` says. Every
/// member writes a file of its own and tells rank 0, which completes the checkpoint by a manifest
/// once all have. A checkpoint that can't be written is given up, which rank 0 says, and the
/// training goes on.
class Checkpoints {
 public:
  /// Where `saves` is false, as in runs that compute nothing, it does nothing. Opens the checkpoint
  /// that the scenario resumes from: throws InputError where it can't be used. Both must outlive
  /// it. `iterations` are those of the whole training, `samples` those of the training set; `share`
  /// is as Experiment's.
  Checkpoints(const Scenario& scenario, Worker& worker, bool saves, int iterations,
              std::size_t samples, double share = 1);

  /// Iterations that were done before.
  int first_iteration() const { return saved_ ? saved_->manifest.iteration : 0; }
  /// The worker's batch with which it goes on.
  std::uint64_t first_batch() const { return first_batch_; }
  /// Whether this member goes on with what it saved itself, records of its iterations among it.
  bool has_own_past() const;

  /// Restores what `visit` visits, and what the worker recorded, where the run resumes.
  void restore(const VisitState& visit);

  /// The iterations until the next checkpoint.
  Leg leg_after(int iterations_done) const;
  /// Whether a checkpoint is due once so many iterations are done.
  bool is_due(int iterations_done) const;

  /// Writes this member's file, records among it, and begins to tell rank 0; nothing where this is
  /// rank 0.
  Handle save(int iterations_done, const VisitState& visit);

  /// On rank 0, after save(): waits for the others, and completes the checkpoint. Returns whether
  /// it did.
  bool complete(int iterations_done, std::uint64_t next_batch);

  /// What kept rank 0 from completing checkpoints: a line each.
  const std::vector<std::string>& problems() const { return problems_; }

 private:
  struct Report;

  void open();
  /// Throws InputError on rank 0 where members would go on from different checkpoints.
  void agree();

  RecordedPast own_past() const;
  RecordedPast inherited_past() const;

  std::filesystem::path path(int iterations_done) const;
  /// As Manifest::done.
  double done_after(int iterations_done) const;
  Report write(int iterations_done, const VisitState& visit) const;
  Report take_report(int peer, int iterations_done);
  void take_reports(Manifest& manifest);

  const Scenario& scenario_;
  Worker& worker_;
  bool saves_;
  int iterations_;
  double share_;
  Membership member_;
  std::optional<OpenCheckpoint> saved_;
  std::optional<KeptCheckpoints> kept_;  ///< of rank 0, where it saves
  std::uint64_t first_batch_ = 0;
  FileSeal own_seal_;
  std::string own_problem_;
  std::vector<std::string> problems_;
};

}  // namespace tandem
