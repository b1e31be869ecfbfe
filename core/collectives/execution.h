#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "core/collectives/schedule.h"
#include "core/comm/buffer.h"
#include "core/comm/elementwise.h"

namespace tandem {

/// A message of the current round: `view` is sent to, or filled by, `peer`.
struct RoundMessage {
  int peer;
  View view;
};

/// One rank's progress through a schedule: what every backend's executor shares. The backend posts
/// the current round's receives and sends, and calls finish_round() when all of them have
/// completed:
///
///   for (ScheduleExecution run(...); !run.done(); run.finish_round()) { post receives(), post
///   sends(), wait for them }
///
/// Pieces to be added land in a scratch buffer first and are added in the order of the round's
/// receives.
class ScheduleExecution {
 public:
  /// `view` and what `allocate` returns must outlive it. `allocate` is asked at most once, for the
  /// largest round.
  using Allocate = std::function<Buffer(std::size_t elements, DType)>;
  ScheduleExecution(std::shared_ptr<const Schedule> schedule, View view, const Allocate& allocate);

  bool done() const { return round_index_ >= schedule_->rounds(); }
  const std::vector<RoundMessage>& sends() const { return sends_; }
  const std::vector<RoundMessage>& receives() const { return receives_; }
  /// Bytes that finish_round() will add, for whoever charges time for it.
  std::size_t bytes_to_add() const { return bytes_to_add_; }

  /// Adds what landed in scratch and enters the next round. Requires !done() and all messages of
  /// the round complete.
  void finish_round();

  const Schedule& schedule() const { return *schedule_; }

 private:
  void enter_round();

  std::shared_ptr<const Schedule> schedule_;
  View view_;
  Buffer scratch_;
  int round_index_ = 0;
  Round round_;
  std::vector<RoundMessage> sends_;
  std::vector<RoundMessage> receives_;
  std::size_t bytes_to_add_ = 0;
};

}  // namespace tandem
