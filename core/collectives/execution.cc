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

std::size_t scratch_elements(const Schedule& schedule) {
  std::size_t largest = 0;
  for (int k = 0; k < schedule.rounds(); ++k)
    largest = std::max(largest, elements_to_add(schedule.round(k)));
  return largest;
}

Buffer scratch_of(const Schedule& schedule, const View& view) {
  if (!view.has_data()) return make_size_only_buffer(0, view.dtype);
  return make_host_buffer(scratch_elements(schedule), view.dtype);
}

std::size_t ScheduleExecution::bytes_to_add() const {
  return elements_to_add(round()) * size_of(view_.dtype);
}

void ScheduleExecution::enter_round() {
  if (kept_.empty() && !done()) round_ = schedule_->round(index_);
}

void ScheduleExecution::finish_round() {
  each_landing([this](const ReceivePiece& piece, const View& landing) {
    if (piece.action == Action::kAdd) add(part(piece), landing);
  });
  ++index_;
  enter_round();
}

}  // namespace tandem
