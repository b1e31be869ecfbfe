#pragma once

#include <vector>

#include "core/strategies/gradient_exchange.h"

namespace tandem {

/// Gradients travel, and are added on the way, in 16 bits: half the bytes (Horovod's fp16
/// compression, Sergeev and Del Balso 2018). What rounding takes away is lost; a sum beyond fp16's
/// 65504 becomes infinite.
class HalfExchange final : public GradientExchange {
 public:
  HalfExchange(Replica& replica, std::vector<Bucket> buckets);

  static std::vector<CollectiveUse> collectives(const Scenario& scenario, const LayerGraph& graph,
                                                const Bucket& bucket);

  void start(std::size_t bucket) override;
  void finish(std::size_t bucket) override;

 private:
  void convert_bucket(View destination, View source);

  Replica& replica_;
  std::vector<Bucket> buckets_;
  std::vector<Buffer> wire_;  ///< by bucket
  std::vector<Handle> in_flight_;
};

}  // namespace tandem
