#include "core/data/input_pipeline.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tandem {
namespace {

/// Sample i is i, i + 0.25, i + 0.5, ... and of class i.
Dataset counting(int size, Shape shape) {
  Dataset data{.shape = shape, .classes = size, .images = {}, .labels = {}};
  for (int i = 0; i < size; ++i) {
    data.labels.push_back(i);
    for (std::size_t j = 0; j < shape.elements(); ++j) {
      data.images.push_back(static_cast<float>(i) + 0.25F * static_cast<float>(j));
    }
  }
  return data;
}

std::vector<float> resized(const Dataset& data, Shape shape) {
  const BatchMaker maker(data, shape);
  PreparedBatch batch = maker.allocate(1);
  maker.make(std::vector<std::uint32_t>{0}, batch);
  return {batch.images.begin(), batch.images.end()};
}

TEST(BatchMaker, CopiesSamplesOfTheRightSize) {
  const Dataset data = counting(4, {2, 1, 1});
  const BatchMaker maker(data, {2, 1, 1});
  PreparedBatch batch = maker.allocate(3);
  batch.labels[2] = -1;
  maker.make(std::vector<std::uint32_t>{3, 1}, batch);
  EXPECT_THAT(batch.images, testing::ElementsAre(3, 3.25, 1, 1.25, 0, 0));
  EXPECT_THAT(batch.labels, testing::ElementsAre(3, 1, -1));
}

// The figures are torch.nn.functional.interpolate's, mode bilinear, corners not aligned.
TEST(BatchMaker, ResizesBilinearly) {
  const Dataset row{.shape = {1, 1, 2}, .classes = 1, .images = {0, 4}, .labels = {0}};
  EXPECT_THAT(resized(row, {1, 1, 4}), testing::ElementsAre(0, 1, 3, 4));
  EXPECT_THAT(resized(row, {1, 2, 1}), testing::ElementsAre(2, 2));
  const Dataset square{.shape = {1, 2, 2}, .classes = 1, .images = {0, 1, 2, 3}, .labels = {0}};
  EXPECT_THAT(resized(square, {1, 3, 3}), testing::ElementsAre(0, 0.5, 1, 1, 1.5, 2, 2, 2.5, 3));
  const Dataset wide{
      .shape = {1, 1, 5}, .classes = 1, .images = {0, 10, 20, 30, 40}, .labels = {0}};
  EXPECT_THAT(resized(wide, {1, 1, 2}), testing::ElementsAre(7.5, 32.5));
}

TEST(BatchMaker, ResizesEachChannelByItself) {
  const Dataset data{.shape = {2, 1, 2}, .classes = 1, .images = {0, 4, 10, 30}, .labels = {0}};
  EXPECT_THAT(resized(data, {2, 1, 4}), testing::ElementsAre(0, 1, 3, 4, 10, 15, 25, 30));
}

TEST(BatchMaker, KeepsAConstantImage) {
  const Dataset data{.shape = {3, 32, 32},
                     .classes = 1,
                     .images = std::vector<float>(std::size_t{3} * 32 * 32, 0.7F),
                     .labels = {0}};
  EXPECT_THAT(resized(data, {3, 224, 224}), testing::Each(0.7F));
}

/// What a batch holds, which the pipeline's own memory does until the next is asked for.
struct Contents {
  explicit Contents(const PreparedBatch& batch)
      : images(batch.images.begin(), batch.images.end()), labels(batch.labels) {}

  std::vector<float> images;
  std::vector<std::int32_t> labels;
};

TEST(InputPipeline, PreparesTheSameBatchesHoweverFarAhead) {
  const Dataset data = counting(23, {1, 2, 2});
  const int batch = 3, workers = 2, iterations = 20;
  const auto batches = [&](int ahead) {
    InputPipeline input(data, {1, 3, 3}, Shard(data.size(), batch, workers, 1, 5), batch, ahead);
    std::vector<Contents> taken;
    for (int i = 0; i < iterations; ++i) taken.emplace_back(input.next());
    return taken;
  };
  const std::vector<Contents> expected = batches(0);
  Shard shard(data.size(), batch, workers, 1, 5);
  for (int i = 0; i < iterations; ++i) {
    const auto indices = shard.batch(i);
    EXPECT_TRUE(std::equal(indices.begin(), indices.end(), expected[i].labels.begin())) << i;
  }
  for (const int ahead : {1, 2, 7, 100}) {
    const std::vector<Contents> taken = batches(ahead);
    for (int i = 0; i < iterations; ++i) {
      EXPECT_EQ(taken[i].images, expected[i].images) << ahead << " ahead, batch " << i;
      EXPECT_EQ(taken[i].labels, expected[i].labels) << ahead << " ahead, batch " << i;
    }
  }
}

TEST(InputPipeline, ABatchStaysUntilTheNextIsAskedFor) {
  const Dataset data = counting(64, {1, 1, 1});
  InputPipeline input(data, {1, 1, 1}, Shard(data.size(), 2, 1, 0, 1), 2, 3);
  for (int i = 0; i < 200; ++i) {
    const PreparedBatch& batch = input.next();
    const Contents before(batch);
    std::this_thread::yield();
    ASSERT_TRUE(std::ranges::equal(batch.images, before.images));
    ASSERT_EQ(batch.images[0], static_cast<float>(batch.labels[0]));
  }
}

TEST(InputPipeline, EndsWithoutBeingAsked) {
  const Dataset data = counting(8, {1, 1, 1});
  for (int i = 0; i < 50; ++i) {
    InputPipeline(data, {1, 1, 1}, Shard(data.size(), 2, 1, 0, 1), 2, 2);
  }
}

}  // namespace
}  // namespace tandem
