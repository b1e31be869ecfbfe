#include "core/strategies/parameter_server/pieces.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/model/zoo.h"

namespace tandem {
namespace {

AlgorithmSpec spec(int servers, std::size_t bucket_bytes) {
  AlgorithmSpec spec;
  spec.server_count = servers;
  spec.bucket_bytes = bucket_bytes;
  return spec;
}

class Pieces : public testing::TestWithParam<const char*> {};

TEST_P(Pieces, CoverTheArenaInTheOrderOfBackward) {
  const LayerGraph graph = build_model(GetParam());
  for (const int servers : {1, 2, 3, 7, 50}) {
    for (const std::size_t bytes : {0UL, 20'000UL, 25'000'000UL, 1UL << 40U}) {
      std::size_t end = graph.parameter_elements();
      int last_layer = static_cast<int>(graph.layers().size());
      for (const Piece& piece : cut_into_pieces(graph, spec(servers, bytes))) {
        EXPECT_GT(piece.elements, 0U);
        EXPECT_EQ(piece.offset + piece.elements, end);
        EXPECT_LE(piece.last_layer, last_layer);
        end = piece.offset;
        last_layer = piece.last_layer;
      }
      EXPECT_EQ(end, 0U);
    }
  }
}

TEST_P(Pieces, AreSmallerThanTwoBuckets) {
  constexpr std::size_t kBytes = 100'000;
  const LayerGraph graph = build_model(GetParam());
  for (const int servers : {1, 3}) {
    for (const Piece& piece : cut_into_pieces(graph, spec(servers, kBytes))) {
      EXPECT_LT(piece.elements * sizeof(float), 2 * kBytes + sizeof(float));
    }
  }
}

TEST_P(Pieces, GiveEveryServerTheSameWithinAnElement) {
  const LayerGraph graph = build_model(GetParam());
  for (const int servers : {1, 2, 3, 7, 50}) {
    std::vector<std::size_t> held(servers, 0);
    int server = servers - 1;
    for (const Piece& piece : cut_into_pieces(graph, spec(servers, 20'000))) {
      EXPECT_LE(piece.server, server);  // a shard is contiguous
      server = piece.server;
      held[server] += piece.elements;
    }
    EXPECT_LE(*std::ranges::max_element(held) - *std::ranges::min_element(held), 1U);
  }
}

INSTANTIATE_TEST_SUITE_P(Models, Pieces, testing::Values("mnist_cnn", "vgg16", "resnet50"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace tandem
