#include "core/collectives/measure.h"

#include <algorithm>

#include "core/collectives/ring.h"

namespace tandem {
namespace {

constexpr std::size_t kSmall = 1;  // floats
constexpr std::size_t kLarge = 256 * 1024;
constexpr int kSmallRepeats = 31;
constexpr int kLargeRepeats = 5;

/// Times `repeats` exchanges: this rank sends to pattern[rank], and receives from all that send to
/// it.
Seconds median_exchange(Worker& worker, const Pattern& pattern, std::size_t elements, int repeats) {
  constexpr Tag kTag = 0;
  const int rank = worker.group().rank;
  const Buffer out = worker.allocate(elements, DType::kFloat32);
  std::vector<Buffer> in;
  std::vector<Seconds> times;
  for (int i = 0; i < repeats; ++i) {
    const Seconds begin = worker.now();
    std::vector<Handle> handles;
    if (pattern[rank] != rank) handles.push_back(worker.send(pattern[rank], kTag, out.view()));
    std::size_t receives = 0;
    for (int peer = 0; peer < worker.group().size; ++peer) {
      if (pattern[peer] != rank || peer == rank) continue;
      if (receives == in.size()) in.push_back(worker.allocate(elements, DType::kFloat32));
      handles.push_back(worker.receive(peer, kTag, in[receives++].view()));
    }
    wait_all(worker, handles);
    times.push_back(worker.now() - begin);
  }
  std::ranges::nth_element(times, times.begin() + repeats / 2);
  return times[repeats / 2];
}

/// The line through the two sizes; one through the large one alone where it is no slower.
LinkFigures measure(Worker& worker, const Pattern& pattern) {
  constexpr double kBytes = sizeof(float);
  const Seconds small = median_exchange(worker, pattern, kSmall, kSmallRepeats);
  const Seconds large = median_exchange(worker, pattern, kLarge, kLargeRepeats);
  if (large <= 0) return {};  // it has nothing to send in this pattern
  if (large <= small) return {0, kLarge * kBytes / large};
  const double bandwidth = (kLarge - kSmall) * kBytes / (large - small);
  return {std::max(0.0, small - kSmall * kBytes / bandwidth), bandwidth};
}

/// `own` of every rank, by rank; the same bits on all.
std::vector<std::vector<double>> share(Worker& worker, const std::vector<double>& own) {
  const Group& group = worker.group();
  const std::size_t count = own.size();
  const std::size_t all = count * static_cast<std::size_t>(group.size);
  const Buffer buffer = worker.allocate(all, DType::kFloat32);
  const auto floats = buffer.view().floats();
  std::ranges::copy(own, floats.begin() + static_cast<std::ptrdiff_t>(count * group.rank));
  Handle gathered = worker.start(ring_all_gather(group.size, group.rank, all), buffer.view());
  worker.wait(gathered);
  std::vector<std::vector<double>> by_rank;
  for (int rank = 0; rank < group.size; ++rank) {
    const auto first = floats.begin() + static_cast<std::ptrdiff_t>(count * rank);
    by_rank.emplace_back(first, first + static_cast<std::ptrdiff_t>(count));
  }
  return by_rank;
}

}  // namespace

NetworkFigures measure_network(Worker& worker, const AllReduceOptions& options,
                               double adding_bandwidth) {
  std::vector<double> own = {adding_bandwidth};
  const std::vector<Pattern> patterns = figure_patterns(worker.group().size, options);
  for (const Pattern& pattern : patterns) {
    const LinkFigures link = measure(worker, pattern);
    own.insert(own.end(), {link.latency, link.bandwidth});
  }
  double adding = kForever;
  std::vector<LinkFigures> slowest(patterns.size());
  for (const std::vector<double>& figures : share(worker, own)) {
    adding = std::min(adding, figures[0]);
    for (std::size_t i = 0; i < patterns.size(); ++i) {
      slowest[i] = slowest[i].slower({figures[1 + 2 * i], figures[2 + 2 * i]});
    }
  }
  return network_figures(slowest, options, adding);
}

}  // namespace tandem
