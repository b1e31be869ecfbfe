#include "core/strategies/gradient_exchange.h"

#include <map>

#include "core/strategies/compression/half.h"
#include "core/strategies/compression/power_sgd.h"
#include "core/strategies/compression/top_k.h"

namespace tandem {
namespace {

/// Gradients go as they are, in place.
class PlainExchange final : public GradientExchange {
 public:
  PlainExchange(Replica& replica, std::vector<Bucket> buckets)
      : replica_(replica), buckets_(std::move(buckets)), in_flight_(buckets_.size()) {}

  static std::vector<CollectiveUse> collectives(const Scenario& scenario, const LayerGraph&,
                                                const Bucket& bucket) {
    return {all_reduce_use(scenario, bucket.elements, scenario.precision.dtype())};
  }

  void start(std::size_t index) override {
    const Bucket& bucket = buckets_[index];
    in_flight_[index] = start_collective(
        replica_.worker, collectives(replica_.scenario, replica_.graph, bucket).front(),
        replica_.gradients.view().slice(bucket.offset, bucket.elements));
  }

  void finish(std::size_t index) override { replica_.worker.wait(in_flight_[index]); }

 private:
  Replica& replica_;
  std::vector<Bucket> buckets_;
  std::vector<Handle> in_flight_;
};

struct Implementation {
  std::unique_ptr<GradientExchange> (*make)(Replica&, std::vector<Bucket>);
  std::vector<CollectiveUse> (*collectives)(const Scenario&, const LayerGraph&, const Bucket&);
};

template <typename Kind>
Implementation implementation_of() {
  return {[](Replica& replica, std::vector<Bucket> buckets) -> std::unique_ptr<GradientExchange> {
            return std::make_unique<Kind>(replica, std::move(buckets));
          },
          Kind::collectives};
}

/// By the names that scenarios give them.
const Implementation& implementation(const Scenario& scenario) {
  static const std::map<std::string, Implementation> kImplementations = {
      {"none", implementation_of<PlainExchange>()},
      {"fp16", implementation_of<HalfExchange>()},
      {"bf16", implementation_of<HalfExchange>()},
      {"top_k", implementation_of<TopKExchange>()},
      {"power_sgd", implementation_of<PowerSgdExchange>()},
  };
  return kImplementations.at(scenario.algorithm.compression.name);
}

}  // namespace

std::unique_ptr<GradientExchange> make_gradient_exchange(Replica& replica,
                                                         std::vector<Bucket> buckets) {
  return implementation(replica.scenario).make(replica, std::move(buckets));
}

std::vector<CollectiveUse> exchange_collectives(const Scenario& scenario, const LayerGraph& graph,
                                                const Bucket& bucket) {
  return implementation(scenario).collectives(scenario, graph, bucket);
}

void run_compression(Worker& worker, double flops, double bytes, std::function<void()> body) {
  Handle done = worker.compute({.phase = Phase::kCompress,
                                .name = "compress",
                                .flops = flops,
                                .bytes = bytes,
                                .body = std::move(body)});
  worker.wait(done);
}

}  // namespace tandem
