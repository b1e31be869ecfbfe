// The fused executor against the exact one: the same times, the same traffic, or a refusal.

#include <gmock/gmock.h>

#include <fstream>

#include "core/base/error.h"
#include "core/collectives/ring.h"
#include "tests/sim/forked_engine.h"

namespace tandem {
namespace {

using testing::AllOf;
using testing::HasSubstr;

enum class Arrivals { kTogether, kSkewed };

constexpr std::size_t kElements = 3'000'001;  // divides by none of the rank counts
constexpr int kCollectives = 3;

MemberDevice adding_device() {
  MemberDevice device = unit_device();
  device.adding_time = [](std::size_t bytes) { return static_cast<double>(bytes) / 5e9; };
  return device;
}

/// Three all-reduces, the second begun while the first is in flight; values: each rank's end.
ChildOutcome run_with(ExecutorKind executor, const std::string& platform, int ranks,
                      Arrivals arrivals) {
  JobOptions options;
  options.executor = executor;
  options.devices.assign(ranks, adding_device());
  return try_job(platform, ranks, options, [&](Worker& worker, std::span<double> ends) {
    const int rank = worker.group().rank;
    const Buffer buffer = worker.allocate(kElements, DType::kFloat32);
    std::vector<Handle> handles;
    for (int i = 0; i < kCollectives; ++i) {
      const double late = arrivals == Arrivals::kSkewed ? 1e-3 * ((rank * 7 + i * 3) % 5) : 1e-3;
      pass(worker, late);
      handles.push_back(worker.start(ring_all_reduce(ranks, rank, kElements), buffer.view()));
    }
    wait_all(worker, handles);
    ends[rank] = worker.now();
    const Traffic traffic = worker.record().traffic();
    const std::uint64_t rounds = 2UL * (ranks - 1) * kCollectives;
    EXPECT_EQ(traffic.sent_messages, rounds);
    EXPECT_EQ(traffic.received_messages, rounds);
    EXPECT_NEAR(static_cast<double>(traffic.sent_bytes),
                static_cast<double>(rounds * kElements * 4) / ranks, 4.0 * rounds);
  });
}

class FusedOn : public testing::TestWithParam<std::tuple<std::string, int, Arrivals>> {};

TEST_P(FusedOn, AgreesWithExactOrRefuses) {
  const auto [platform, ranks, arrivals] = GetParam();
  const bool shares = platform == "backbone" || (platform == "half_duplex" && ranks > 1);
  const ChildOutcome fused = run_with(ExecutorKind::kFused, platform, ranks, arrivals);
  if (shares && arrivals == Arrivals::kSkewed) {
    EXPECT_EQ(fused.exit_code, kExitBadInput);
    EXPECT_THAT(fused.message, AllOf(HasSubstr("its pairs share links, and rank"),
                                     HasSubstr("use executor: exact")));
    return;
  }
  ASSERT_EQ(fused.exit_code, 0) << fused.message;
  const ChildOutcome exact = run_with(ExecutorKind::kExact, platform, ranks, arrivals);
  ASSERT_EQ(exact.exit_code, 0) << exact.message;
  // In step, every round is taken to last as long as its largest piece, by an element too long.
  const double tolerance = shares ? 1e-4 : 1e-9;
  for (int rank = 0; rank < ranks; ++rank) {
    EXPECT_NEAR(fused.values[rank] / exact.values[rank], 1, tolerance) << "rank " << rank;
  }
}

INSTANTIATE_TEST_SUITE_P(Platforms, FusedOn,
                         testing::Combine(testing::Values("star", "fat_backbone", "fat_tree",
                                                          "mixed_star", "backbone", "half_duplex"),
                                          testing::Values(2, 4, 8, 16, 32, 64),
                                          testing::Values(Arrivals::kTogether, Arrivals::kSkewed)),
                         [](const auto& info) {
                           return std::get<0>(info.param) + "_" +
                                  std::to_string(std::get<1>(info.param)) +
                                  (std::get<2>(info.param) == Arrivals::kSkewed ? "_skewed"
                                                                                : "_together");
                         });

TEST(Fused, RefusesSharedLinksBetweenUnlikePairs) {
  // Both ways between the clusters go over the trunk; pairs within a cluster don't.
  const ChildOutcome outcome = run_with(ExecutorKind::kFused, "trunk", 4, Arrivals::kTogether);
  EXPECT_EQ(outcome.exit_code, kExitBadInput);
  EXPECT_THAT(outcome.message,
              HasSubstr("link trunk is shared, and pairs differ in latency or bandwidth"));
}

TEST(Fused, RefusesOtherTrafficBesideACollective) {
  JobOptions options;
  options.executor = ExecutorKind::kFused;
  const ChildOutcome outcome = try_job("star", 4, options, [](Worker& worker, std::span<double>) {
    const int rank = worker.group().rank;
    const Buffer buffer = worker.allocate(kElements, DType::kFloat32);
    Handle all = worker.start(ring_all_reduce(4, rank, kElements), buffer.view());
    if (rank < 2) {
      pass(worker, 1e-3);
      Handle other =
          rank == 0 ? worker.send(1, 1, buffer.view()) : worker.receive(0, 1, buffer.view());
      worker.wait(other);
    }
    worker.wait(all);
  });
  EXPECT_EQ(outcome.exit_code, kExitBadInput);
  EXPECT_THAT(outcome.message, HasSubstr("other messages are sent while it runs"));
}

TEST(Fused, RefusesPayload) {
  JobOptions options;
  options.executor = ExecutorKind::kFused;
  options.depth = Depth::kPayload;
  const ChildOutcome outcome = try_job("star", 2, options, [](Worker&, std::span<double>) {});
  EXPECT_EQ(outcome.exit_code, kExitBadInput);
  EXPECT_THAT(outcome.message, HasSubstr("it moves no payload"));
}

/// What `auto` comes to, as the reason that results give.
std::string automatic(const std::string& platform_file, int members, bool devices_alike,
                      const std::vector<std::size_t>& sizes = {1000}) {
  return in_child([&](std::span<double>) {
           Engine engine(platform_file, Depth::kSizes);
           JobOptions options;
           options.devices.assign(members, unit_device());
           options.devices_alike = devices_alike;
           for (const std::size_t size : sizes) {
             options.collectives.push_back({ring_all_reduce, size});
           }
           const Job job(engine, options);
           const bool fused = job.executor().kind == ExecutorKind::kFused;
           throw std::runtime_error((fused ? "fused, " : "exact, ") + job.executor().reason);
         })
      .message;
}

/// A cluster of 128 hosts; `more` are attributes.
std::string large_platform(const std::string& more) {
  const std::string file = testing::TempDir() + "/large.xml";
  std::ofstream(file) << "<?xml version='1.0'?>\n"
                         "<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
                         "<platform version=\"4.1\"><cluster id=\"c\" prefix=\"n-\" suffix=\"\" "
                         "radical=\"0-127\" speed=\"1Gf\" bw=\"1GBps\" lat=\"1us\" "
                      << more << "/></platform>\n";
  return file;
}

TEST(AutoExecutor, IsExactUpTo64MembersAndFusedAboveWherePossible) {
  const std::string star = large_platform("sharing_policy=\"SPLITDUPLEX\"");
  EXPECT_EQ(automatic(star, 64, true), "exact, auto: at most 64 members");
  EXPECT_EQ(automatic(star, 65, false),
            "fused, auto: no link is used by two pairs of the collective");
  const std::string shared = large_platform("sharing_policy=\"SHARED\"");
  EXPECT_THAT(automatic(shared, 65, true), HasSubstr("fused, auto: link"));
  EXPECT_EQ(automatic(shared, 65, false),
            "exact, auto: fused is not possible, links are shared and devices differ");
}

TEST(AutoExecutor, IsExactWhereOneOfTheCollectivesCanNotBeFused) {
  const std::string shared = large_platform("sharing_policy=\"SHARED\"");
  EXPECT_THAT(automatic(shared, 66, true, {66'000, 10}),  // most ranks' chunks of the 10 are empty
              HasSubstr("exact, auto: fused is not possible"));
}

}  // namespace
}  // namespace tandem
