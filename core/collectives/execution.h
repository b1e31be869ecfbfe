#pragma once

#include <span>

#include "core/collectives/schedule.h"
#include "core/comm/buffer.h"
#include "core/comm/elementwise.h"

namespace tandem {

/// Elements that the largest round of a schedule adds, which land in scratch memory first.
std::size_t scratch_elements(const Schedule& schedule);

/// So many, for who has none at hand; without data where `view` has none.
Buffer scratch_of(const Schedule& schedule, const View& view);

/// One rank's progress through a schedule: what every backend's executor shares. The backend posts
/// the current round's receives and sends, and calls finish_round() when all of them have
/// completed:
///
///   for (ScheduleExecution run(...); !run.done(); run.finish_round()) { post each_receive() and
///   each_send(), wait for them }
///
/// Pieces to be added land in scratch first and are added in the order of the round's receives.
class ScheduleExecution {
 public:
  /// All must outlive it. `scratch` is of the view's dtype and of scratch_elements() or more; it is
  /// used where the view has data only. `kept` are the schedule's rounds, from who has them at
  /// hand.
  ScheduleExecution(const Schedule& schedule, View view, View scratch,
                    std::span<const Round> kept = {})
      : schedule_(&schedule),
        kept_(kept),
        view_(std::move(view)),
        scratch_(std::move(scratch)),
        rounds_(schedule.rounds()) {
    enter_round();
  }

  bool done() const { return index_ >= rounds_; }

  // What follows is about the current round: requires !done().

  const Round& round() const { return kept_.empty() ? round_ : kept_[index_]; }
  std::size_t messages() const { return round().sends.size() + round().receives.size(); }

  /// Calls `send` with the peer and the view of each message that is sent in this round.
  template <typename Send>
  void each_send(const Send& send) const {
    for (const SendPiece& piece : round().sends) send(piece.peer, part(piece));
  }
  /// Likewise of those that are received: the view is filled by the peer.
  template <typename Receive>
  void each_receive(const Receive& receive) const {
    each_landing(
        [&](const ReceivePiece& piece, View landing) { receive(piece.peer, std::move(landing)); });
  }

  /// Bytes that finish_round() will add, for whoever charges time for it.
  std::size_t bytes_to_add() const;

  /// Adds what landed in scratch and enters the next round. Requires all messages complete.
  void finish_round();

 private:
  void enter_round();
  View part(const auto& piece) const { return view_.slice(piece.offset, piece.elements); }

  template <typename Take>
  void each_landing(const Take& take) const {
    std::size_t landed = 0;
    for (const ReceivePiece& piece : round().receives) {
      const bool in_scratch = piece.action == Action::kAdd && view_.has_data();
      take(piece, in_scratch ? scratch_.slice(landed, piece.elements) : part(piece));
      if (in_scratch) landed += piece.elements;
    }
  }

  const Schedule* schedule_;
  std::span<const Round> kept_;
  View view_;
  View scratch_;
  int rounds_;
  int index_ = 0;
  Round round_;  ///< where none are kept
};

}  // namespace tandem
