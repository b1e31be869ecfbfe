// The fused executor against the exact one: the same times, the same traffic, or a refusal.

#include <gmock/gmock.h>

#include <fstream>

#include "core/base/error.h"
#include "core/collectives/all_reduce.h"
#include "core/collectives/binomial_broadcast.h"
#include "core/collectives/pairwise_all_to_all.h"
#include "core/collectives/ring.h"
#include "tests/sim/forked_engine.h"

namespace tandem {
namespace {

using testing::AllOf;
using testing::HasSubstr;

enum class Arrivals { kTogether, kSkewed };

constexpr std::size_t kManyElements = 3'000'001;  // divides by none of the rank counts
/// Fewer than there are ranks, few for each, and many.
constexpr std::size_t kAllElements[] = {17, 1000, kManyElements};
constexpr int kCollectives = 3;

MemberDevice adding_device() {
  MemberDevice device = unit_device();
  device.adding_time = [](std::size_t bytes) { return static_cast<double>(bytes) / 5e9; };
  return device;
}

/// What a rank sends in a collective, as its rounds say.
Traffic sent_traffic(const Schedule& schedule) {
  Traffic traffic;
  for (int k = 0; k < schedule.rounds(); ++k) {
    for (const SendPiece& piece : schedule.round(k).sends) {
      traffic.sent_messages += 1;
      traffic.sent_bytes += piece.elements * size_of(DType::kFloat32);
    }
  }
  return traffic;
}

/// Three collectives, the second begun while the first is in flight; values: each rank's end.
ChildOutcome run_with(ExecutorKind executor, const std::string& platform, int ranks,
                      Arrivals arrivals, const ScheduleFactory& collective = ring_all_reduce,
                      std::size_t elements = kManyElements) {
  JobOptions options;
  options.executor = executor;
  options.devices.assign(ranks, adding_device());
  return try_job(platform, ranks, options, [&](Worker& worker, std::span<double> ends) {
    const int rank = worker.group().rank;
    const Buffer buffer = worker.allocate(elements, DType::kFloat32);
    std::vector<Handle> handles;
    for (int i = 0; i < kCollectives; ++i) {
      const double late = arrivals == Arrivals::kSkewed ? 1e-3 * ((rank * 7 + i * 3) % 5) : 1e-3;
      pass(worker, late);
      handles.push_back(worker.start(collective(ranks, rank, elements), buffer.view()));
    }
    wait_all(worker, handles);
    ends[rank] = worker.now();
    const Traffic traffic = worker.record().traffic();
    const Traffic expected = sent_traffic(*collective(ranks, rank, elements));
    EXPECT_EQ(traffic.sent_messages, kCollectives * expected.sent_messages);
    EXPECT_EQ(traffic.sent_bytes, kCollectives * expected.sent_bytes);
  });
}

// In a ring of 3 each sends and receives 4 times, and adds up twice.
TEST(ExactExecutor, RecordsRoundsWhereAskedTo) {
  for (const bool traces_rounds : {false, true}) {
    JobOptions options = exact();
    options.devices.assign(3, adding_device());
    options.traced = {.count = 1};
    options.traces_rounds = traces_rounds;
    run_job("star", 3, options, [&](Worker& worker, std::span<double>) {
      const Buffer buffer = worker.allocate(kManyElements, DType::kFloat32);
      Handle handle =
          worker.start(ring_all_reduce(3, worker.group().rank, kManyElements), buffer.view());
      worker.wait(handle);
      std::map<std::string, int> recorded;
      std::uint64_t collective = 0;
      for (const Span& span : worker.record().spans()) {
        ++recorded[span.name];
        if (span.name == "ring") collective = span.message;
      }
      for (const Span& span : worker.record().spans())
        EXPECT_EQ(span.round.collective, span.name == "ring" ? 0 : collective);
      std::map<std::string, int> expected = {{"ring", 1}};
      if (traces_rounds) expected = {{"ring", 1}, {"send", 4}, {"receive", 4}, {"add", 2}};
      EXPECT_EQ(recorded, expected);
    });
  }
}

/// A collective of one message only.
class OneMessage final : public RankSchedule {
 public:
  OneMessage(int source, int destination, int ranks, int rank, std::size_t elements)
      : RankSchedule(source < destination ? "forward" : "backward", ranks, rank, elements,
                     static_cast<std::size_t>(source * ranks + destination)),
        source_(source),
        destination_(destination) {}

  int rounds() const override { return 1; }
  Round round(int) const override {
    Round round;
    const Chunk all = {0, elements()};
    if (rank() == source_) add_send(round, destination_, all);
    if (rank() == destination_) add_receive(round, source_, all, Action::kCopy);
    return round;
  }

 private:
  int source_;
  int destination_;
};

class FusedOn : public testing::TestWithParam<std::tuple<std::string, int, Arrivals, std::size_t>> {
};

TEST_P(FusedOn, AgreesWithExactOrRefuses) {
  const auto [platform, ranks, arrivals, elements] = GetParam();
  const bool shares = platform == "backbone" || (platform == "half_duplex" && ranks > 1);
  const bool is_even = elements % ranks == 0;
  const ChildOutcome fused =
      run_with(ExecutorKind::kFused, platform, ranks, arrivals, ring_all_reduce, elements);
  if (shares && !is_even && elements < kManyElements && fused.exit_code != 0) {
    EXPECT_THAT(fused.message, testing::AnyOf(HasSubstr("pieces of round 0 differ by an element"),
                                              HasSubstr("not all ranks do the same"),
                                              HasSubstr("its pairs share links, and rank")));
    return;
  }
  if (shares && arrivals == Arrivals::kSkewed) {
    EXPECT_EQ(fused.exit_code, kExitBadInput);
    EXPECT_THAT(fused.message, AllOf(HasSubstr("its pairs share links, and rank"),
                                     HasSubstr("use executor: exact")));
    return;
  }
  ASSERT_EQ(fused.exit_code, 0) << fused.message;
  const ChildOutcome exact =
      run_with(ExecutorKind::kExact, platform, ranks, arrivals, ring_all_reduce, elements);
  ASSERT_EQ(exact.exit_code, 0) << exact.message;
  // In step, every round is taken to last as long as its largest piece, by an element too long:
  // refused where that is 0.1 % of a round. Ranks may fall out of step and gain as much again.
  const double uneven = elements < kManyElements ? 2e-3 : 1e-4;
  const double tolerance = shares && !is_even ? uneven : 1e-9;
  for (int rank = 0; rank < ranks; ++rank) {
    EXPECT_NEAR(fused.values[rank] / exact.values[rank], 1, tolerance) << "rank " << rank;
  }
}

INSTANTIATE_TEST_SUITE_P(Platforms, FusedOn,
                         testing::Combine(testing::Values("star", "fat_backbone", "fat_tree",
                                                          "mixed_star", "backbone", "half_duplex"),
                                          testing::Values(2, 4, 8, 16, 32, 64),
                                          testing::Values(Arrivals::kTogether, Arrivals::kSkewed),
                                          testing::ValuesIn(kAllElements)),
                         [](const auto& info) {
                           return std::get<0>(info.param) + "_" +
                                  std::to_string(std::get<1>(info.param)) +
                                  (std::get<2>(info.param) == Arrivals::kSkewed ? "_skewed_of_"
                                                                                : "_together_of_") +
                                  std::to_string(std::get<3>(info.param));
                         });

const std::map<std::string, ScheduleFactory>& other_collectives() {
  const AllReduceOptions options = {.node_size = 4};
  static const std::map<std::string, ScheduleFactory> kCollectives = {
      {"segmented_ring", all_reduce("segmented_ring", options)},
      {"halving_doubling", all_reduce("halving_doubling", options)},
      {"recursive_doubling", all_reduce("recursive_doubling", options)},
      {"double_binary_tree", all_reduce("double_binary_tree", options)},
      {"binomial_tree", all_reduce("binomial_tree", options)},
      {"hierarchical", all_reduce("hierarchical", options)},
      {"ring_reduce_scatter", ring_reduce_scatter},
      {"ring_all_gather", ring_all_gather},
      {"binomial_broadcast", binomial_broadcast},
      {"pairwise_all_to_all", pairwise_all_to_all}};
  return kCollectives;
}

std::vector<std::string> other_names() {
  std::vector<std::string> names;
  for (const auto& entry : other_collectives()) names.push_back(entry.first);
  return names;
}

class FusedCollective
    : public testing::TestWithParam<std::tuple<std::string, std::string, int, Arrivals>> {};

TEST_P(FusedCollective, AgreesWithExactOrSaysWhyNot) {
  const auto& [name, platform, ranks, arrivals] = GetParam();
  const ScheduleFactory& collective = other_collectives().at(name);
  const ChildOutcome fused = run_with(ExecutorKind::kFused, platform, ranks, arrivals, collective);
  if (fused.exit_code == kExitBadInput) {
    // A rank of a smaller last node has several pieces on its link; in a broadcast the root does
    // not wait for the last.
    const bool may_refuse = platform != "star" || (name == "hierarchical" && ranks % 4 != 0) ||
                            name == "binomial_broadcast";
    EXPECT_TRUE(may_refuse) << fused.message;
    EXPECT_THAT(fused.message,
                AllOf(HasSubstr("fused can't tell the collective's time: "),
                      HasSubstr("use executor: exact"),
                      testing::AnyOf(HasSubstr("is shared"), HasSubstr("its pairs share links"),
                                     HasSubstr("is done before all have begun"))));
    return;
  }
  ASSERT_EQ(fused.exit_code, 0) << fused.message;
  const ChildOutcome exact = run_with(ExecutorKind::kExact, platform, ranks, arrivals, collective);
  ASSERT_EQ(exact.exit_code, 0) << exact.message;
  // Rings side by side, whose pieces differ by an element, fall out of step on a link that they
  // share, and then hide each other's latency and adding, which a plan in step can't know.
  const bool out_of_step = name == "hierarchical" && platform != "star";
  const double tolerance = out_of_step ? 1e-2 : 1e-4;
  for (int rank = 0; rank < ranks; ++rank) {
    EXPECT_NEAR(fused.values[rank] / exact.values[rank], 1, tolerance) << "rank " << rank;
  }
}

INSTANTIATE_TEST_SUITE_P(Platforms, FusedCollective,
                         testing::Combine(testing::ValuesIn(other_names()),
                                          testing::Values("star", "backbone", "fat_tree"),
                                          testing::Values(2, 7, 16, 64),
                                          testing::Values(Arrivals::kTogether, Arrivals::kSkewed)),
                         [](const auto& info) {
                           return std::get<0>(info.param) + "_" + std::get<1>(info.param) + "_" +
                                  std::to_string(std::get<2>(info.param)) +
                                  (std::get<3>(info.param) == Arrivals::kSkewed ? "_skewed"
                                                                                : "_together");
                         });

TEST(Fused, TakesHalvingDoublingInStepWhereLinksAreShared) {
  const ScheduleFactory collective = all_reduce("halving_doubling");
  const ChildOutcome fused =
      run_with(ExecutorKind::kFused, "half_duplex", 16, Arrivals::kTogether, collective);
  ASSERT_EQ(fused.exit_code, 0) << fused.message;
  const ChildOutcome exact =
      run_with(ExecutorKind::kExact, "half_duplex", 16, Arrivals::kTogether, collective);
  EXPECT_NEAR(fused.values[5] / exact.values[5], 1, 1e-4);
}

TEST(Fused, RefusesTwoCollectivesThatMayMeetOnALink) {
  // Over the trunk goes rank 1's part of the one, and rank 3's of the other.
  JobOptions options;
  options.executor = ExecutorKind::kFused;
  const auto one_message = [](int source, int destination) {
    return [=](int ranks, int rank, std::size_t elements) {
      return std::make_unique<OneMessage>(source, destination, ranks, rank, elements);
    };
  };
  const ChildOutcome outcome = try_job("trunk", 4, options, [&](Worker& worker, std::span<double>) {
    const int rank = worker.group().rank;
    const Buffer buffer = worker.allocate(kManyElements, DType::kFloat32);
    Handle handles[] = {worker.start(one_message(1, 2)(4, rank, kManyElements), buffer.view()),
                        worker.start(one_message(3, 0)(4, rank, kManyElements), buffer.view())};
    wait_all(worker, handles);
  });
  EXPECT_EQ(outcome.exit_code, kExitBadInput);
  EXPECT_THAT(outcome.message, HasSubstr("link trunk is shared with the collective before"));
}

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
    const Buffer buffer = worker.allocate(kManyElements, DType::kFloat32);
    Handle all = worker.start(ring_all_reduce(4, rank, kManyElements), buffer.view());
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

TEST(Fused, RefusesAMessageThatEndsBeforeTheLastHasBegun) {
  // Ranks 2 and 3 would exchange messages of the collective while those of 0 and 1 are on the way.
  const auto run = [](ExecutorKind executor) {
    JobOptions options;
    options.executor = executor;
    return try_job("star", 4, options, [](Worker& worker, std::span<double>) {
      const int rank = worker.group().rank;
      const Buffer buffer = worker.allocate(kManyElements, DType::kFloat32);
      if (rank < 2) {
        Handle other =
            rank == 0 ? worker.send(1, 1, buffer.view()) : worker.receive(0, 1, buffer.view());
        worker.wait(other);
      }
      Handle all = worker.start(ring_all_reduce(4, rank, kManyElements), buffer.view());
      worker.wait(all);
    });
  };
  const ChildOutcome outcome = run(ExecutorKind::kFused);
  EXPECT_EQ(outcome.exit_code, kExitBadInput);
  EXPECT_THAT(outcome.message, HasSubstr("other messages are in flight when it starts"));
  EXPECT_EQ(run(ExecutorKind::kExact).exit_code, 0);
}

TEST(Fused, RefusesACollectiveOfSomeMembers) {
  JobOptions options;
  options.executor = ExecutorKind::kFused;
  const ChildOutcome outcome = try_job("star", 4, options, [](Worker& worker, std::span<double>) {
    const Buffer buffer = worker.allocate(kManyElements, DType::kFloat32);
    Handle alone = worker.start(ring_all_reduce(1, 0, kManyElements), buffer.view());
    worker.wait(alone);
  });
  EXPECT_EQ(outcome.exit_code, kExitBadInput);
  EXPECT_THAT(outcome.message, HasSubstr("not all members take part in it"));
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
std::string automatic(const std::string& platform_file, int members, bool starts_together,
                      const std::vector<std::size_t>& sizes = {1000}) {
  return in_child([&](std::span<double>) {
           Engine engine(platform_file, Depth::kSizes);
           JobOptions options;
           options.devices.assign(members, unit_device());
           options.circumstances.start_together = starts_together;
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
  const std::string test = testing::UnitTest::GetInstance()->current_test_info()->name();
  const std::string file = testing::TempDir() + test + ".xml";
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
            "fused, auto: no link is used by two messages of the collective at once");
  const std::string shared = large_platform("sharing_policy=\"SHARED\"");
  EXPECT_THAT(automatic(shared, 65, true, {65'000}), HasSubstr("fused, auto: link"));
  EXPECT_THAT(automatic(shared, 65, true), HasSubstr("pieces of round 0 differ by an element"));
  EXPECT_EQ(automatic(shared, 65, false, {65'000}),
            "exact, auto: fused is not possible, links are shared and members begin "
            "collectives at different times");
}

TEST(AutoExecutor, IsExactWhereOneOfTheCollectivesCanNotBeFused) {
  const std::string shared = large_platform("sharing_policy=\"SHARED\"");
  EXPECT_THAT(automatic(shared, 66, true, {66'000, 10}),  // most ranks' chunks of the 10 are empty
              HasSubstr("exact, auto: fused is not possible"));
}

}  // namespace
}  // namespace tandem
