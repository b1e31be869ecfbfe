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

void Answers::add(int worker, int piece, int iteration) {
  if (!options_.priority) return send(worker, piece, iteration);
  const Turn turn = shard_.worker().record().ask_for_turn(piece);
  lines_[worker].waiting.emplace(piece, Waiting{iteration, turn});
  if (lines_[worker].under_way < kTurnsTogether) send_next(worker);
}

void Answers::send_next(int worker) {
  Line& line = lines_[worker];
  if (line.waiting.empty()) return;
  ++line.under_way;
  const auto front = std::prev(line.waiting.end());
  const auto [piece, next] = *front;
  line.waiting.erase(front);
  Recorder& recorder = shard_.worker().record();
  const DuringTask in_turn(recorder, Task::Kind::kTurn, recorder.task().cause);
  recorder.take_turn(next.turn);
  send(worker, piece, next.iteration);
}

void Answers::send(int worker, int piece, int iteration) {
  View weights = shard_.weights(piece);
  if (options_.copies) {
    const View copy = shard_.slice(lines_[worker].copy, piece);
    compute_over(shard_.worker(), "copy weights", weights, 2, [=] {
      std::memcpy(copy.on_host(Access::kOverwrite).data, weights.on_host(Access::kRead).data,
                  weights.bytes());
    });
    weights = copy;
  }
  if (options_.on_leave) options_.on_leave(worker, piece);
  reactor_.when(shard_.worker().send(worker, shard_.pull_tag(piece), weights), [=, this](int) {
    shard_.count_sent(worker, piece, iteration);
    if (!options_.priority) return;
    --lines_[worker].under_way;
    send_next(worker);
  });
}

}  // namespace tandem
