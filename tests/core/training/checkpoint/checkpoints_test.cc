// How members tell rank 0 of the files that they wrote.

#include "core/training/checkpoint/checkpoints.h"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "core/base/error.h"
#include "core/comm/loopback/loopback.h"
#include "tests/core/data/files.h"

namespace tandem {
namespace {

Scenario saved_in(const std::filesystem::path& folder) {
  Scenario scenario;
  scenario.name = "told";
  scenario.model.name = "mnist_cnn";
  scenario.batch_size = 8;
  scenario.iterations = 20;
  scenario.workers = 2;
  scenario.checkpoint = {.every = 5, .keep = 2, .path = folder, .resume = {}};
  return scenario;
}

/// So many numbers, so that files of different checkpoints can't be taken for each other.
VisitState numbers(int count) {
  return [numbers = std::make_shared<std::vector<int>>(count)](StateVisitor& visitor) {
    visit_vector(visitor, "numbers", *numbers);
  };
}

TEST(Checkpoints, PassOverReportsOfACheckpointThatWasGivenUp) {
  const TemporaryFolder folder;
  const Scenario scenario = saved_in(folder.path());
  run_loopback(2, [&](Worker& worker) {
    Checkpoints checkpoints(scenario, worker, true, 20, 100);
    for (const int done : {5, 10}) {
      Handle told = checkpoints.save(done, numbers(done));
      worker.wait(told);
    }
    checkpoints.complete(10, 10);
    EXPECT_TRUE(checkpoints.problems().empty());
  });
  EXPECT_EQ(refusal_of(checkpoint_path(folder.path(), 10), scenario), "");
}

TEST(Checkpoints, ArePatientNoLongerThanForReports) {
  const TemporaryFolder folder;
  const Scenario scenario = saved_in(folder.path());
  constexpr Seconds kPatience = 50;
  const auto member = [&](Worker& worker) {
    Checkpoints checkpoints(scenario, worker, true, 20, 100);
    if (worker.group().rank > 0) return;
    checkpoints.save(5, numbers(1));
    EXPECT_THROW(checkpoints.complete(5, 5), PeerLost);
    EXPECT_EQ(worker.set_patience(kPatience), kPatience);
  };
  run_loopback(2, member, kPatience);
}

}  // namespace
}  // namespace tandem
