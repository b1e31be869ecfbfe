#include "core/strategies/parameter_server/answers.h"

#include <cstring>

#include "core/comm/compute_over.h"
#include "core/comm/turns.h"
#include "core/record/recorder.h"

namespace tandem {
Answers::Answers(ParameterShard& shard, Reactor& reactor, Options options)
    : shard_(shard), reactor_(reactor), options_(std::move(options)), lines_(options_.workers) {
  if (!options_.copies) return;
  for (Line& line : lines_) line.copy = shard_.allocate();
}

void Answers::add(int worker, int piece) {
  if (!options_.priority) return send(worker, piece);
  lines_[worker].waiting.emplace(piece, shard_.worker().record().ask_for_turn(piece));
  if (lines_[worker].under_way < kTurnsTogether) send_next(worker);
}

void Answers::send_next(int worker) {
  Line& line = lines_[worker];
  if (line.waiting.empty()) return;
  ++line.under_way;
  const auto front = std::prev(line.waiting.end());
  const auto [piece, turn] = *front;
  line.waiting.erase(front);
  Recorder& recorder = shard_.worker().record();
  const DuringTask in_turn(recorder, Task::Kind::kTurn, recorder.task().cause);
  recorder.take_turn(turn);
  send(worker, piece);
}

void Answers::send(int worker, int piece) {
  View weights = shard_.weights(piece);
  if (options_.copies) {
    const View copy = shard_.slice(lines_[worker].copy, piece);
    compute_over(shard_.worker(), "copy weights", weights, 2,
                 [=] { std::memcpy(copy.data, weights.data, weights.bytes()); });
    weights = copy;
  }
  if (options_.on_leave) options_.on_leave(worker, piece);
  reactor_.when(shard_.worker().send(worker, shard_.pull_tag(piece), weights), [=, this](int) {
    if (!options_.priority) return;
    --lines_[worker].under_way;
    send_next(worker);
  });
}

}  // namespace tandem
