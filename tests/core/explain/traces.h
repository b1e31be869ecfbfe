#pragma once

#include "core/explain/event_graph.h"
#include "core/record/traced_point.h"

// Small traces that the tests of what explains them share.

namespace tandem {

inline Span step(Lane lane, int position, int iteration, Seconds begin, Seconds end,
                 std::uint64_t message = 0) {
  return {.lane = lane,
          .name = "step",
          .begin = begin,
          .end = end,
          .iteration = iteration,
          .phase = "forward",
          .position = position,
          .message = message};
}

inline Span message(const char* side, int peer, int position, Seconds begin, Seconds end,
                    std::uint64_t id) {
  return {.lane = Lane::kCommunication,
          .name = side,
          .begin = begin,
          .end = end,
          .bytes = 100,
          .peer = peer,
          .iteration = 1,
          .position = position,
          .message = id,
          .time = {.latency = 1, .fixed = 0, .reduce = 0, .alone = 3}};
}

// Ranks 0 and 1 compute 2 s in iteration 0. In iteration 1 both compute 3 s and send 100 bytes to
// rank 2 over one link of 50 bytes/s, 1 s away: 1 + 200/50 s. Rank 0 waits for its own message.
inline TracedPoint two_senders() {
  TracedPoint point;
  point.network.hosts = {"a", "b", "c"};
  point.network.links = {{"wire", 50}};
  point.network.routes = {{{0, 2}, {{"wire"}}}, {{1, 2}, {{"wire"}}}};
  for (const int rank : {0, 1}) {
    const std::uint64_t id = 7 + rank;
    point.spans.push_back({rank, step(Lane::kCompute, 0, 0, 0, 2)});
    point.spans.push_back({rank, step(Lane::kCompute, 1, 1, 2, 5)});
    point.spans.push_back({rank, message("send", 2, 2, 5, 10, id)});
    point.spans.push_back({2, message("receive", rank, 0, 5, 10, id)});
    point.spans.push_back({rank, step(Lane::kWait, 2, 1, 5, 10, id)});
  }
  return point;
}

}  // namespace tandem
