#include "core/collectives/execution.h"

#include <algorithm>

namespace tandem {
namespace {

std::size_t elements_to_add(const Round& round) {
  std::size_t elements = 0;
  for (const ReceivePiece& piece : round.receives) {
    if (piece.action == Action::kAdd) elements += piece.elements;
  }
  return elements;
}

}  // namespace

ScheduleExecution::ScheduleExecution(std::shared_ptr<const Schedule> schedule, View view,
                                     const Allocate& allocate)
    : schedule_(std::move(schedule)), view_(view) {
  std::size_t largest = 0;
  if (view_.has_data()) {
    for (int k = 0; k < schedule_->rounds(); ++k) {
      largest = std::max(largest, elements_to_add(schedule_->round(k)));
    }
  }
  scratch_ = largest > 0 ? allocate(largest, view_.dtype) : make_size_only_buffer(0, view_.dtype);
  enter_round();
}

void ScheduleExecution::enter_round() {
  sends_.clear();
  receives_.clear();
  bytes_to_add_ = 0;
  if (done()) return;
  round_ = schedule_->round(round_index_);
  for (const SendPiece& piece : round_.sends) {
    sends_.push_back({piece.peer, view_.slice(piece.offset, piece.elements)});
  }
  std::size_t landed = 0;
  for (const ReceivePiece& piece : round_.receives) {
    View landing = view_.slice(piece.offset, piece.elements);
    if (piece.action == Action::kAdd) {
      if (view_.has_data()) landing = scratch_.view().slice(landed, piece.elements);
      landed += piece.elements;
    }
    receives_.push_back({piece.peer, landing});
  }
  bytes_to_add_ = landed * size_of(view_.dtype);
}

void ScheduleExecution::finish_round() {
  for (std::size_t i = 0; i < round_.receives.size(); ++i) {
    const ReceivePiece& piece = round_.receives[i];
    if (piece.action == Action::kAdd)
      add(view_.slice(piece.offset, piece.elements), receives_[i].view);
  }
  ++round_index_;
  enter_round();
}

}  // namespace tandem
