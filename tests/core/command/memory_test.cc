#include "core/command/memory.h"

#include <gtest/gtest.h>

#include <cmath>

namespace tandem {
namespace {

Scenario point(int workers, Depth depth) {
  Scenario scenario;
  scenario.model.name = "mnist_cnn";
  scenario.batch_size = 8;
  scenario.iterations = 1;
  scenario.workers = workers;
  scenario.simulation.depth = depth;
  return scenario;
}

TEST(Memory, IsThere) {
  EXPECT_GT(free_memory(), 1e6);
  EXPECT_TRUE(std::isfinite(free_memory())) << "Linux says how much there is";
}

TEST(SimulationMemory, GrowsWithMembersAndWithWhatTheyHold) {
  const double one = simulation_memory(point(1, Depth::kSizes));
  const double many = simulation_memory(point(1001, Depth::kSizes));
  EXPECT_GT(many, 2 * one);
  // mnist_cnn's weights and gradients alone are 170 kB.
  EXPECT_GT(simulation_memory(point(10, Depth::kPayload)),
            simulation_memory(point(10, Depth::kSizes)) + 10 * 170e3);
  Scenario automatic = point(10, Depth::kPayload);  // which chooses once the network is known
  automatic.algorithm.collective = "auto";
  EXPECT_EQ(simulation_memory(automatic), simulation_memory(point(10, Depth::kPayload)));
}

}  // namespace
}  // namespace tandem
