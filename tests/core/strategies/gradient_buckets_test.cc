#include "core/strategies/gradient_buckets.h"

#include <gtest/gtest.h>

#include "core/model/zoo.h"

namespace tandem {
namespace {

void expect_cover(const std::vector<Bucket>& buckets, const LayerGraph& graph) {
  std::size_t end = graph.parameter_elements();
  int last_layer = static_cast<int>(graph.layers().size());
  for (const Bucket& bucket : buckets) {
    EXPECT_EQ(bucket.offset + bucket.elements, end);
    EXPECT_LT(bucket.last_layer, last_layer);
    end = bucket.offset;
    last_layer = bucket.last_layer;
  }
  EXPECT_EQ(end, 0U);
}

TEST(GradientBuckets, CoverTheArenaInTheOrderOfBackward) {
  for (const char* model : {"mnist_cnn", "alexnet", "resnet50"}) {
    const LayerGraph graph = build_model(model);
    for (const std::size_t bytes : {0UL, 1UL, 20'000UL, 25'000'000UL, 1UL << 40U}) {
      expect_cover(gradient_buckets(graph, bytes), graph);
    }
  }
}

TEST(GradientBuckets, OneALayerWithZeroBytesAndOneInAllWithMany) {
  const LayerGraph graph = build_model("mnist_cnn");
  const std::vector<Bucket> each = gradient_buckets(graph, 0);
  ASSERT_EQ(each.size(), 4U);
  EXPECT_EQ(each[0].elements, 510U);
  EXPECT_EQ(each[1].elements, 16'050U);
  EXPECT_EQ(each[2].elements, 5'020U);
  EXPECT_EQ(each[3].elements, 260U);
  EXPECT_EQ(gradient_buckets(graph, 1UL << 40U).size(), 1U);
}

TEST(GradientBuckets, CloseOnceTheyHoldEnough) {
  const std::vector<Bucket> buckets = gradient_buckets(build_model("mnist_cnn"), 20'000);
  // fc2 and fc1 hold 66,240 bytes, conv2 20,080, conv1 the rest.
  ASSERT_EQ(buckets.size(), 3U);
  EXPECT_EQ(buckets[0].elements, 16'560U);
  EXPECT_EQ(buckets[1].elements, 5'020U);
  EXPECT_EQ(buckets[2].elements, 260U);
}

}  // namespace
}  // namespace tandem
