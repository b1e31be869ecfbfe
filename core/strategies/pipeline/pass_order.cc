#include "core/strategies/pipeline/pass_order.h"

#include <algorithm>

namespace tandem {

std::vector<MicroBatchPass> pass_order(PipelineSchedule schedule, int stages, int stage,
                                       int micro_batches) {
  const int ahead = schedule == PipelineSchedule::kGPipe
                        ? micro_batches
                        : std::min(stages - 1 - stage, micro_batches);
  std::vector<MicroBatchPass> order;
  order.reserve(2 * static_cast<std::size_t>(micro_batches));
  for (int i = 0; i < ahead; ++i) order.push_back({Phase::kForward, i});
  for (int i = ahead; i < micro_batches; ++i) {
    order.push_back({Phase::kForward, i});
    order.push_back({Phase::kBackward, i - ahead});
  }
  for (int i = micro_batches - ahead; i < micro_batches; ++i) {
    order.push_back({Phase::kBackward, i});
  }
  return order;
}

int most_in_flight(const std::vector<MicroBatchPass>& order) {
  int in_flight = 0;
  int most = 0;
  for (const MicroBatchPass& pass : order) {
    in_flight += pass.phase == Phase::kForward ? 1 : -1;
    most = std::max(most, in_flight);
  }
  return most;
}

}  // namespace tandem
