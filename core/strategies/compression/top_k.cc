#include "core/strategies/compression/top_k.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "core/collectives/ring.h"
#include "core/comm/elementwise.h"

namespace tandem {
namespace {

std::size_t kept(const Scenario& scenario, const Bucket& bucket) {
  const double share = scenario.algorithm.compression.ratio * static_cast<double>(bucket.elements);
  return std::clamp<std::size_t>(static_cast<std::size_t>(std::llround(share)), 1, bucket.elements);
}

std::int64_t pair_of(std::uint32_t index, float value) {
  return static_cast<std::int64_t>(std::uint64_t{index} << 32U |
                                   std::bit_cast<std::uint32_t>(value));
}
std::uint32_t index_of(std::int64_t pair) {
  return static_cast<std::uint32_t>(static_cast<std::uint64_t>(pair) >> 32U);
}
float value_of(std::int64_t pair) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(pair));
}

/// Moves the pairs.size() largest of `numbers` into `pairs`, in the order of their indices, and
/// leaves zeros; of equal ones the first.
void take_largest(std::span<float> numbers, std::span<std::int64_t> pairs) {
  std::vector<std::uint32_t> order(numbers.size());
  std::iota(order.begin(), order.end(), 0U);
  // As integers, so that not-a-number has a place too: above all.
  const auto size = [&](std::uint32_t i) {
    return std::bit_cast<std::uint32_t>(numbers[i]) & 0x7FFFFFFFU;
  };
  const auto end = order.begin() + static_cast<std::ptrdiff_t>(pairs.size());
  std::ranges::nth_element(order, end, [&](std::uint32_t a, std::uint32_t b) {
    return size(a) != size(b) ? size(a) > size(b) : a < b;
  });
  std::sort(order.begin(), end);
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    pairs[i] = pair_of(order[i], std::exchange(numbers[order[i]], 0.0F));
  }
}

void add_pairs(std::span<const std::int64_t> pairs, std::span<float> sums) {
  std::ranges::fill(sums, 0.0F);
  for (const std::int64_t pair : pairs) sums[index_of(pair)] += value_of(pair);
}

}  // namespace

TopKExchange::TopKExchange(Replica& replica, std::vector<Bucket> buckets)
    : replica_(replica),
      buckets_(std::move(buckets)),
      error_(replica.worker.allocate(replica.graph.parameter_elements(), DType::kFloat32)),
      in_flight_(buckets_.size()) {
  for (const Bucket& bucket : buckets_) {
    pairs_.push_back(replica.worker.allocate(
        replica.scenario.workers * kept(replica.scenario, bucket), DType::kInt64));
  }
}

std::vector<CollectiveUse> TopKExchange::collectives(const Scenario& scenario, const LayerGraph&,
                                                     const Bucket& bucket) {
  return {{ring_all_gather, scenario.workers * kept(scenario, bucket), DType::kInt64}};
}

void TopKExchange::start(std::size_t index) {
  const Bucket& bucket = buckets_[index];
  const std::size_t count = kept(replica_.scenario, bucket);
  const View gradients = replica_.gradients.view().slice(bucket.offset, bucket.elements);
  const View error = error_.view().slice(bucket.offset, bucket.elements);
  const View pairs = pairs_[index].view();
  const View own = pairs.slice(replica_.worker.group().rank * count, count);
  // Adds, then looks at every number about twice.
  run_compression(replica_.worker, 3.0 * static_cast<double>(bucket.elements),
                  5.0 * static_cast<double>(gradients.bytes()), [=] {
                    add(error, gradients);
                    if (own.has_data()) take_largest(error.floats(), own.numbers<std::int64_t>());
                  });
  in_flight_[index] = start_collective(
      replica_.worker, collectives(replica_.scenario, replica_.graph, bucket).front(), pairs);
}

void TopKExchange::finish(std::size_t index) {
  const Bucket& bucket = buckets_[index];
  const View gradients = replica_.gradients.view().slice(bucket.offset, bucket.elements);
  const View pairs = pairs_[index].view();
  replica_.worker.wait(in_flight_[index]);
  run_compression(replica_.worker, static_cast<double>(pairs.elements),
                  static_cast<double>(gradients.bytes() + 2 * pairs.bytes()), [=] {
                    if (pairs.has_data())
                      add_pairs(pairs.numbers<std::int64_t>(), gradients.floats());
                  });
}

void TopKExchange::visit_state(StateVisitor& visitor) {
  visit_own(visitor, "top_k.error", error_.view());
}

}  // namespace tandem
