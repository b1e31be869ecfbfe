// Chakra execution traces of simulated jobs: written, read back, held against what the job counted,
// and replayed.

#include "core/interchange/chakra.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "core/base/atomic_file.h"
#include "sim/simulate.h"
#include "tests/core/interchange/trace_reader.h"
#include "tests/sim/forked_engine.h"

namespace tandem {
namespace {

struct Case {
  std::string name;
  void (*change)(AlgorithmSpec&);
};

Scenario scenario_of(const Case& example) {
  Scenario scenario;
  scenario.name = "job";
  scenario.model.name = "mnist_cnn";
  scenario.batch_size = 8;
  scenario.iterations = 2;
  scenario.warmup_iterations = 1;
  scenario.workers = 4;
  scenario.platform = test_platform("star");
  scenario.chakra = true;
  scenario.algorithm.bucket_bytes = 20'000;
  example.change(scenario.algorithm);
  return scenario;
}

/// A job's result, and the traces that were written of it.
struct Exported {
  std::vector<MemberResult> members;
  std::vector<TraceFile> traces;
  std::map<std::string, std::vector<int>> groups;
};

Exported exported(const Case& example) {
  const auto folder = std::filesystem::temp_directory_path() /
                      ("tandem_chakra_" + example.name + std::to_string(getpid()));
  Exported job{.members = simulate(scenario_of(example)).members, .traces = {}, .groups = {}};
  write_chakra_traces(folder, "job", job.members);
  for (const MemberResult& member : job.members)
    job.traces.push_back(read_trace(folder / ("job." + std::to_string(member.rank) + ".et")));
  if (const auto groups = folder / "job.groups.json"; std::filesystem::exists(groups))
    job.groups = nlohmann::json::parse(read_file(groups)).get<decltype(job.groups)>();
  std::filesystem::remove_all(folder);
  return job;
}

std::int64_t sum(const TraceFile& trace, const std::set<int>& types, const std::string& attribute) {
  std::int64_t total = 0;
  for (const TraceNode& node : trace.nodes) {
    if (types.contains(node.type)) total += node.numbers.at(attribute);
  }
  return total;
}

class ChakraTraces : public testing::TestWithParam<Case> {};

/// Of the kernels that a member ran from one time to another.
Seconds kernel_time(const MemberResult& member, Seconds from, Seconds to) {
  Seconds time = 0;
  for (const Step& step : member.program) {
    if (step.kind == Step::Kind::kCompute && step.begin >= from && step.end <= to)
      time += step.end - step.begin;
  }
  return time;
}

void expect_trace_of(const MemberResult& member, const TraceFile& trace) {
  EXPECT_EQ(trace.version, "1.0.0");
  ASSERT_EQ(trace.nodes.size(), member.program.size());
  std::set<std::uint64_t> before;
  std::uint64_t computed = 0;
  for (const TraceNode& node : trace.nodes) {
    for (const auto& needed : {node.control, node.data}) {
      for (const std::uint64_t id : needed) EXPECT_TRUE(before.contains(id)) << node.name;
    }
    EXPECT_TRUE(before.insert(node.id).second);
    EXPECT_EQ(node.numbers.at("is_cpu_op"), 0);
    if (node.type != kComputeType) continue;
    computed += node.duration_us;
    EXPECT_GE(node.numbers.at("num_ops"), 1) << node.name;
    EXPECT_GE(node.numbers.at("tensor_size"), 1) << node.name;
  }
  EXPECT_EQ(sum(trace, {kSendType}, "comm_size") + sum(trace, {kCollectiveType}, "sent_bytes"),
            member.traffic.sent_bytes);
  EXPECT_EQ(
      sum(trace, {kReceiveType}, "comm_size") + sum(trace, {kCollectiveType}, "received_bytes"),
      member.traffic.received_bytes);
  EXPECT_NEAR(double(computed), kernel_time(member, 0, kForever) * 1e6, 1);
  for (const IterationRecord& iteration : member.iterations) {
    EXPECT_NEAR(kernel_time(member, iteration.begin, iteration.end), iteration.compute, 1e-9);
  }
}

TEST_P(ChakraTraces, HoldWhatEachMemberComputedAndMoved) {
  const ChildOutcome outcome = in_child([&](std::span<double>) {
    const Exported job = exported(GetParam());
    for (std::size_t rank = 0; rank < job.traces.size(); ++rank)
      expect_trace_of(job.members[rank], job.traces[rank]);
  });
  EXPECT_EQ(outcome.exit_code, 0) << outcome.message << outcome.standard_error;
}

TEST_P(ChakraTraces, CanBeReplayedToTheEnd) {
  const ChildOutcome outcome = in_child([&](std::span<double>) {
    Exported job = exported(GetParam());
    EXPECT_EQ(stuck_nodes(job.traces, job.groups), 0U);
    // A replay that can't get stuck would say nothing.
    std::erase_if(job.traces[1].nodes, [](const TraceNode& n) { return n.type != kComputeType; });
    EXPECT_GT(stuck_nodes(job.traces, job.groups), 0U);
  });
  EXPECT_EQ(outcome.exit_code, 0) << outcome.message << outcome.standard_error;
}

const std::vector<Case> kCases = {
    {"ring", [](AlgorithmSpec&) {}},
    {"tree", [](AlgorithmSpec& a) { a.collective = "double_binary_tree"; }},
    {"zero", [](AlgorithmSpec& a) { a.name = "zero", a.stage = 3; }},
    {"pipeline", [](AlgorithmSpec& a) { a.name = "pipeline", a.stages = 2; }},
    {"one_pipeline", [](AlgorithmSpec& a) { a.name = "pipeline", a.stages = 4; }},
    {"parameter_server", [](AlgorithmSpec& a) { a.name = "parameter_server"; }},
    {"asynchronous",
     [](AlgorithmSpec& a) {
       a.name = "parameter_server", a.mode = ServerMode::kAsynchronous, a.server_count = 2;
     }},
    {"pairs", [](AlgorithmSpec& a) { a.name = "pairwise_averaging"; }},
    {"ad_psgd", [](AlgorithmSpec& a) { a.name = "ad_psgd"; }},
    {"elastic", [](AlgorithmSpec& a) { a.name = "elastic_averaging", a.local_steps = 2; }}};

const Case& case_of(const std::string& name) {
  return *std::ranges::find(kCases, name, &Case::name);
}

INSTANTIATE_TEST_SUITE_P(, ChakraTraces, testing::ValuesIn(kCases),
                         [](const auto& info) { return info.param.name; });

TEST(ChakraTrace, HasNoCollectiveOfOne) {
  const ChildOutcome outcome = in_child([&](std::span<double>) {
    const Exported job = exported(case_of("one_pipeline"));  // a stage's weights are on one worker
    EXPECT_TRUE(job.groups.empty());
    for (const TraceFile& trace : job.traces) {
      EXPECT_TRUE(std::ranges::none_of(
          trace.nodes, [](const TraceNode& node) { return node.type == kCollectiveType; }));
    }
  });
  EXPECT_EQ(outcome.exit_code, 0) << outcome.message << outcome.standard_error;
}

TEST(ChakraTrace, SaysWhatACollectivePutsIn) {
  const ChildOutcome outcome = in_child([&](std::span<double>) {
    const Exported job = exported(case_of("zero"));
    const TraceFile& trace = job.traces[0];
    std::map<std::int64_t, std::int64_t> put_in;  // by type
    for (const TraceNode& node : trace.nodes) {
      if (node.type == kCollectiveType)
        put_in[node.numbers.at("comm_type")] += node.numbers.at("comm_size");
    }
    constexpr int kAllGather = 2, kReduceScatter = 7;
    ASSERT_EQ(put_in.size(), 2U);
    // Of the parameters, gathered for forward and for backward and once more at the end, a rank
    // holds a quarter; of the gradients it has all.
    const std::int64_t bytes = put_in[kReduceScatter];
    EXPECT_NEAR(double(put_in[kAllGather]) / double(bytes), (2 + 1.0 / 3) / 4, 0.01);
  });
  EXPECT_EQ(outcome.exit_code, 0) << outcome.message << outcome.standard_error;
}

}  // namespace
}  // namespace tandem
