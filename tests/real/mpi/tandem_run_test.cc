// tandem-run from outside: what it writes, and how it fails. TANDEM_RUN and TANDEM_MPIEXEC come
// from the build.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "core/base/atomic_file.h"
#include "core/base/error.h"
#include "core/model/device_profile.h"
#include "core/record/point_result.h"
#include "real/mpi/error_file.h"

namespace tandem {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class TandemRun : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(testing::TempDir()) /
              fmt::format("tandem_run.{}.{}", getpid(),
                          testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  fs::path path(const std::string& name) const { return folder_ / name; }

  fs::path write_scenario(const std::string& changes = "") const {
    fs::path file = path("point.yaml");
    std::ofstream(file) << "name: small\nmodel: mnist_cnn\nbatch_size: 8\niterations: 4\n"
                           "platform: gcp_k80\nseed: 3\n"
                        << (changes.empty() ? "algorithm: ring\nworkers: 2\n" : changes);
    return file;
  }

  /// Exit code of tandem-run on so many ranks.
  int run(int ranks, const std::string& arguments) const {
    const std::string command = fmt::format("{} {} {} {} > {} 2>&1", TANDEM_MPIEXEC, ranks,
                                            TANDEM_RUN, arguments, path("output").string());
    const int status = std::system(command.c_str());
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

  static PointResult load(const fs::path& result, const fs::path& scenario) {
    return PointResult::load(result, load_scenario(scenario.string()).points.at(0));
  }

  std::string error() const { return read_file(path("result.error")); }

 private:
  fs::path folder_;
};

TEST_F(TandemRun, WritesTheResultOfAllMembers) {
  const fs::path scenario = write_scenario();
  const fs::path result = path("result");
  const fs::path progress = path("progress");
  std::ofstream(path("result.error")) << "of an earlier run\n";
  ASSERT_EQ(run(2, scenario.string() + " --result " + result.string() + " --progress " +
                       progress.string()),
            0)
      << read_file(path("output"));
  const PointResult point = load(result, scenario);
  ASSERT_EQ(point.members.size(), 2U);
  EXPECT_EQ(point.members[1].rank, 1);
  EXPECT_EQ(point.members[0].weights_hash, point.members[1].weights_hash);
  EXPECT_GT(point.members[0].peak_memory_bytes, 0U);
  EXPECT_EQ(point.members[0].evaluations.size(), 1U);
  EXPECT_EQ(point.summary.world, "real");
  EXPECT_EQ(point.summary.workers, 2);
  EXPECT_GT(*point.summary.images_per_s, 0);
  EXPECT_EQ(point.environment.at("hosts").size(), 2U);
  EXPECT_FALSE(point.environment.at("mpi").get<std::string>().empty());
  EXPECT_FALSE(point.environment.at("onednn").get<std::string>().empty());
  EXPECT_EQ(read_file(progress), "6 6\n");
  EXPECT_FALSE(fs::exists(path("result.error")));
}

TEST_F(TandemRun, ParameterServerIsAMemberToo) {
  const fs::path result = path("result");
  const fs::path scenario = write_scenario("algorithm: parameter_server\nworkers: 1\n");
  ASSERT_EQ(run(2, scenario.string() + " --result " + result.string()), 0)
      << read_file(path("output"));
  const PointResult point = load(result, scenario);
  EXPECT_FALSE(point.members.at(0).is_server);
  EXPECT_TRUE(point.members.at(1).is_server);
  EXPECT_EQ(point.members[0].weights_hash, point.members[1].weights_hash);
}

// Processes of their own, so what Linux says of each is one worker's.
TEST_F(TandemRun, EachStageOfZeroTakesLessMemoryAsPredicted) {
  constexpr double kRemoteChunk = 1536.0 * 1536 * sizeof(float) / 2;  // the other worker's
  std::string layers;
  for (int i = 0; i < 8; ++i) layers += "  - {kind: linear, outputs: 1536}\n";
  const fs::path scenario = path("point.yaml");
  const fs::path result = path("result");
  std::vector<double> measured, predicted;
  for (const int stage : {0, 1, 2, 3}) {
    std::ofstream(scenario) << "name: wide\nbatch_size: 1\niterations: 2\nwarmup_iterations: 0\n"
                               "model:\n  name: wide\n  input: [1, 32, 32]\n  classes: 10\n"
                               "  layers:\n"
                            << layers << "  - {kind: linear, outputs: 10}\noptimizer: adam\n"
                            << fmt::format("algorithm: {{name: zero, stage: {}, bucket: 1 MB}}\n",
                                           stage)
                            << "workers: 2\n";
    ASSERT_EQ(run(2, scenario.string() + " --result " + result.string()), 0)
        << read_file(path("output"));
    const PointResult point = load(result, scenario);
    measured.push_back(static_cast<double>(point.members[0].peak_memory_bytes));
    predicted.push_back(point.environment["memory"]["predicted"]["total"]);
    EXPECT_GE(measured.back(), 0.9 * predicted.back()) << stage;
  }
  for (const int stage : {1, 2, 3}) {
    const double fall = predicted[stage - 1] - predicted[stage];
    EXPECT_GT(fall, 8e6);
    const double measured_fall = measured[stage - 1] - measured[stage];
    // The group that is fetched ahead may arrive after the peak; and what this process had touched
    // of the other's at its peak, and the other has given back since, counts as its own.
    const double either_way = stage == 3 ? kRemoteChunk : 0;
    EXPECT_GT(measured_fall, 0.85 * fall - either_way) << stage;
    EXPECT_LT(measured_fall, 1.15 * fall + either_way) << stage;
  }
}

TEST_F(TandemRun, AnotherNumberOfRanksIsOneLineThatSaysTheRightCommand) {
  EXPECT_NE(run(1, write_scenario().string() + " --result " + path("result").string()), 0);
  EXPECT_EQ(error(),
            "scenario small has 2 members (2 workers, 0 servers), but the job has 1 rank; start it "
            "with: mpirun -n 2 tandem-run ...\n");
  EXPECT_FALSE(fs::exists(path("result")));
}

TEST_F(TandemRun, BadInputEndsWithCodeTwo) {
  const fs::path scenario = write_scenario("algorithm: rong\nworkers: 2\n");
  EXPECT_EQ(run(2, scenario.string() + " --result " + path("result").string()), kExitBadInput);
  EXPECT_THAT(error(), HasSubstr("rong"));
  EXPECT_EQ(std::ranges::count(error(), '\n'), 1);
  EXPECT_FALSE(fs::exists(path("result")));
}

TEST_F(TandemRun, AMissingDataFileNamesIt) {
  const fs::path scenario = write_scenario(
      "algorithm: ring\nworkers: 2\ndata: {name: mnist, path: " + path("nowhere").string() + "}\n");
  EXPECT_EQ(run(2, scenario.string() + " --result " + path("result").string()), kExitBadInput);
  EXPECT_THAT(error(), HasSubstr("nowhere"));
}

TEST_F(TandemRun, AResultThatCannotBeWrittenEndsBeforeTheRun) {
  std::ofstream(path("file")) << "no folder";
  EXPECT_EQ(run(2, write_scenario().string() + " --result " + path("file/result").string()),
            kExitBadInput);
  EXPECT_THAT(read_file(path("output")), HasSubstr("tandem: error: "));
}

TEST_F(TandemRun, CalibratesTwoRanks) {
  ASSERT_EQ(run(2, write_scenario().string() + " --calibrate " + path("machine").string()), 0)
      << read_file(path("output"));
  EXPECT_THAT(read_file(path("machine/platform.xml")), HasSubstr("<prop id=\"device\" value="));
  const auto device = fs::directory_iterator(path("machine/devices"))->path();
  const DeviceProfile profile = DeviceProfile::load(device);
  EXPECT_EQ(profile.name, device.stem().string());
  EXPECT_EQ(profile.layer_times.size(), 10U);
  for (const auto& layer : profile.layer_times) {
    EXPECT_EQ(layer.batch_size, 8);
    EXPECT_GT(layer.forward, 0);
    EXPECT_GT(layer.backward, 0);
    EXPECT_GE(layer.forward_spread, 0);
    EXPECT_GE(layer.backward_spread, 0);
  }
  EXPECT_GT(profile.layer_times[0].forward_spread, 0);
  EXPECT_GT(profile.update_bandwidth, 0);
  EXPECT_GT(profile.reduction_bandwidth, 0);
  EXPECT_LT(profile.reduction_bandwidth, 1e12);
}

TEST_F(TandemRun, CalibrationTakesInNoFileWithoutAnExchange) {
  std::ofstream(path("other.yaml")) << "source: a test\n";
  EXPECT_EQ(run(2, write_scenario().string() + " --calibrate " + path("machine").string() +
                       " --with " + path("other.yaml").string()),
            kExitBadInput);
  EXPECT_THAT(read_file(path("output")), HasSubstr("other.yaml: has no samples of an exchange"));
}

TEST_F(TandemRun, CalibrationByOneRankSaysThatTwoAreNeeded) {
  EXPECT_EQ(run(1, write_scenario().string() + " --calibrate " + path("machine").string()),
            kExitBadInput);
  EXPECT_THAT(read_file(path("machine.error")), HasSubstr("mpirun -n 2"));
  EXPECT_FALSE(fs::exists(path("machine")));
}

TEST_F(TandemRun, TheFirstErrorStands) {
  const fs::path file = path("result.error");
  EXPECT_TRUE(mpi::write_first(file, "the cause"));
  EXPECT_FALSE(mpi::write_first(file, "its echo"));
  EXPECT_EQ(read_file(file), "the cause\n");
  EXPECT_EQ(std::distance(fs::directory_iterator(file.parent_path()), {}), 1);
}

}  // namespace
}  // namespace tandem
