#include "core/command/points.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/command/launcher.h"
#include "core/command/process.h"
#include "core/command/progress_line.h"

namespace tandem {
namespace {

Scenario point(const std::string& algorithm, int workers, int batch_size = 8) {
  Scenario scenario;
  scenario.model.name = "mnist_cnn";
  scenario.batch_size = batch_size;
  scenario.iterations = 1;
  scenario.algorithm.name = algorithm;
  scenario.workers = workers;
  return scenario;
}

std::vector<std::string> labels(const std::vector<Scenario>& points) {
  std::vector<std::string> labels;
  for (const Scenario& each : with_baselines(points)) labels.push_back(label_of(each));
  return labels;
}

using testing::ElementsAre;

TEST(Baselines, AreAddedWhereASweepOfWorkersLacksOne) {
  EXPECT_THAT(labels({point("all_reduce", 2), point("all_reduce", 4)}),
              ElementsAre("mnist_cnn, none, 1 worker", "mnist_cnn, ring, 2 workers",
                          "mnist_cnn, ring, 4 workers"));
  // A worker beside a parameter server sends and receives, so it is none.
  EXPECT_THAT(labels({point("parameter_server", 1), point("parameter_server", 2)}),
              ElementsAre("mnist_cnn, none, 1 worker", "mnist_cnn, parameter_server, 1 worker",
                          "mnist_cnn, parameter_server, 2 workers"));
}

TEST(Baselines, AreNotAddedTwice) {
  EXPECT_EQ(labels({point("parameter_server", 2), point("all_reduce", 1)}).size(), 2U);
  EXPECT_EQ(labels({point("none", 1), point("all_reduce", 2)}).size(), 2U);
  EXPECT_EQ(labels({point("all_reduce", 3)}).size(), 1U);  // nothing is swept
}

TEST(Baselines, BelongToOneModelAndBatchSize) {
  EXPECT_THAT(labels({point("all_reduce", 1, 8), point("all_reduce", 2, 8),
                      point("all_reduce", 2, 16), point("all_reduce", 4, 16)}),
              ElementsAre("mnist_cnn, ring, 1 worker", "mnist_cnn, ring, 2 workers",
                          "mnist_cnn, none, 1 worker", "mnist_cnn, ring, 2 workers",
                          "mnist_cnn, ring, 4 workers"));
}

TEST(WidestPoints, AreTheFirstWithTheMostHostsOrMembersOfARoleOnEachPlatform) {
  std::vector<Scenario> points = {point("all_reduce", 2), point("all_reduce", 4),
                                  point("all_reduce", 3), point("all_reduce", 4)};
  EXPECT_THAT(widest_points(points), ElementsAre(1));
  points[2] = point("parameter_server", 3);
  EXPECT_THAT(widest_points(points), ElementsAre(1, 2));  // a platform may keep hosts for servers
  points[2].workers = 5;
  EXPECT_THAT(widest_points(points), ElementsAre(2));
  points[3].platform = "another";
  points[0].device = "another";
  EXPECT_THAT(widest_points(points), ElementsAre(0, 2, 3));
}

TEST(CheckCommand, AsksWhereHostsAreKnown) {
  const auto check = [](const LaunchOptions& launch) {
    return check_command(launch, 3, {0, 1, 0});
  };
  EXPECT_THAT(check({}), ElementsAre());
  EXPECT_THAT(check({.hostfile = {}, .launcher = "srun", .lab = {}}), ElementsAre());
  EXPECT_THAT(check({.hostfile = "hosts", .launcher = {}, .lab = {}}),
              testing::IsSupersetOf({"mpirun", "hosts", "--do-not-launch", "3"}));
}

TEST(LaunchCommand, GivesALauncherItsRanks) {
  EXPECT_THAT(launch_command({.hostfile = {}, .launcher = "srun --mpi=pmix", .lab = {}}, 3,
                             {"program", "a"}),
              ElementsAre("srun", "--mpi=pmix", "-n", "3", "program", "a"));
}

TEST(LaunchCommand, SharesCoresOnlyWhereTheyAreFewerThanRanks) {
  const auto has = [](const char* word) { return testing::Contains(std::string(word)); };
  EXPECT_THAT(launch_command({}, core_count() + 1, {"p"}), has("--oversubscribe"));
  EXPECT_THAT(launch_command({}, core_count(), {"p"}), testing::Not(has("--oversubscribe")));
  EXPECT_THAT(
      launch_command({.hostfile = "/dev/null", .launcher = {}, .lab = {}}, core_count() + 1, {"p"}),
      testing::AllOf(has("--hostfile"), testing::Not(has("--oversubscribe"))));
}

TEST(ShellText, QuotesWhatAShellWouldRead) {
  EXPECT_EQ(shell_text({"a", "--set", "b=1 MB", "it's", ""}), "a --set 'b=1 MB' 'it'\\''s' ''");
}

TEST(ClockText, HasHoursOnlyWhereThereAreAny) {
  EXPECT_EQ(clock_text(7), "0:07");
  EXPECT_EQ(clock_text(3731), "1:02:11");
}

}  // namespace
}  // namespace tandem
