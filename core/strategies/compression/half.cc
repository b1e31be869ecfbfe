#include "core/strategies/compression/half.h"

#include "core/comm/elementwise.h"

namespace tandem {
namespace {

DType wire_dtype(const Scenario& scenario) {
  return scenario.algorithm.compression.name == "fp16" ? DType::kFloat16 : DType::kBFloat16;
}

}  // namespace

HalfExchange::HalfExchange(Replica& replica, std::vector<Bucket> buckets)
    : replica_(replica), buckets_(std::move(buckets)), in_flight_(buckets_.size()) {
  for (const Bucket& bucket : buckets_) {
    wire_.push_back(replica.worker.allocate(bucket.elements, wire_dtype(replica.scenario)));
  }
}

std::vector<CollectiveUse> HalfExchange::collectives(const Scenario& scenario, const LayerGraph&,
                                                     const Bucket& bucket) {
  return {all_reduce_use(scenario, bucket.elements, wire_dtype(scenario))};
}

void HalfExchange::start(std::size_t index) {
  const Bucket& bucket = buckets_[index];
  const View wire = wire_[index].view();
  convert_bucket(wire, replica_.gradients.view().slice(bucket.offset, bucket.elements));
  in_flight_[index] = start_collective(
      replica_.worker, collectives(replica_.scenario, replica_.graph, bucket).front(), wire);
}

void HalfExchange::finish(std::size_t index) {
  const Bucket& bucket = buckets_[index];
  replica_.worker.wait(in_flight_[index]);
  convert_bucket(replica_.gradients.view().slice(bucket.offset, bucket.elements),
                 wire_[index].view());
}

void HalfExchange::convert_bucket(View destination, View source) {
  run_compression(replica_.worker, static_cast<double>(source.elements),
                  static_cast<double>(source.bytes() + destination.bytes()),
                  [=] { convert(destination, source); });
}

}  // namespace tandem
