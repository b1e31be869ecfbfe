#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <sstream>

#include "core/record/comparison.h"
#include "core/record/csv.h"
#include "core/record/result_folder.h"
#include "core/record/summary_table.h"
#include "core/record/text_table.h"

namespace tandem {
namespace {

IterationRecord iteration(Seconds begin, Seconds duration, Seconds compute, std::uint64_t sent) {
  IterationRecord record;
  record.begin = begin;
  record.end = begin + duration;
  record.compute = compute;
  record.exposed = duration - compute;
  record.loss = duration;
  record.traffic.sent_bytes = sent;
  record.traffic.sent_packets = sent / 100;
  return record;
}

/// A warm-up iteration and three timed ones.
MemberResult worker(int rank, Seconds slower) {
  MemberResult member;
  member.rank = rank;
  member.iterations = {iteration(0, 100, 1, 5000), iteration(100, 2 + slower, 1, 300),
                       iteration(200, 4 + slower, 3, 300), iteration(300, 9 + slower, 2, 300)};
  member.spans = {{Lane::kCompute, "conv1", 100, 101}, {Lane::kWait, "wait", 101, 102}};
  member.weights_hash = "00ff";
  member.peak_memory_bytes = 1000 + rank;
  return member;
}

Scenario scenario(const std::string& algorithm, int workers) {
  Scenario scenario;
  scenario.name = "example";
  scenario.model.name = "mnist_cnn";
  scenario.batch_size = 10;
  scenario.algorithm.name = algorithm;
  scenario.workers = workers;
  scenario.iterations = 3;
  scenario.warmup_iterations = 1;
  scenario.platform = "star";
  return scenario;
}

Summary two_workers() {
  return summarize(scenario("all_reduce", 2), "simulated", "star", "k80",
                   {worker(0, 0), worker(1, 1)});
}

TEST(Summary, TakesMediansOverTimedIterationsOfMeansOverWorkers) {
  const Summary summary = two_workers();
  EXPECT_EQ(summary.iterations, 3);
  EXPECT_EQ(summary.iteration_s, 4.5);
  EXPECT_EQ(summary.compute_s, 2);
  EXPECT_EQ(summary.exposed_communication_s, 1.5);
  EXPECT_DOUBLE_EQ(*summary.images_per_s, 2 * 10 / 4.5);
  EXPECT_EQ(summary.loss, 9.5);
  EXPECT_EQ(summary.peak_memory_bytes, 1001);
  EXPECT_EQ(summary.final_weights_hash, "00ff");
}

TEST(Summary, TakesMeansWhereComputingTimesVaryAtRandom) {
  Scenario varying = scenario("all_reduce", 2);
  varying.faults.compute = NoiseSpec{.distribution = "lognormal", .sigma = 1};
  const Summary summary =
      summarize(varying, "simulated", "star", "k80", {worker(0, 0), worker(1, 1)});
  EXPECT_DOUBLE_EQ(*summary.iteration_s, (2.5 + 4.5 + 9.5) / 3);
  EXPECT_EQ(summary.compute_s, 2);
}

TEST(Summary, CountsTrafficOfTimedIterations) {
  const Summary summary = two_workers();
  EXPECT_EQ(summary.sent_bytes_per_worker, 900);
  EXPECT_EQ(summary.packets_sent, 9);
  EXPECT_FALSE(summary.server_sent_bytes);
}

TEST(Summary, LeavesEmptyWhatWasNotMeasured) {
  std::vector<MemberResult> members = {worker(0, 0)};
  for (IterationRecord& record : members[0].iterations) {
    record.loss.reset();
  }
  members[0].peak_memory_bytes = 0;
  const Summary summary = summarize(scenario("none", 1), "real", "here", "cpu", members);
  EXPECT_FALSE(summary.loss);
  EXPECT_FALSE(summary.accuracy);
  EXPECT_FALSE(summary.packets_sent);
  EXPECT_FALSE(summary.peak_memory_bytes);
  EXPECT_FALSE(summary.skipped_steps);
  EXPECT_FALSE(summary.speedup);
}

TEST(Summary, KeepsServersApart) {
  MemberResult server = worker(1, 50);
  server.is_server = true;
  const Summary summary = summarize(scenario("parameter_server", 1), "simulated", "star", "k80",
                                    {worker(0, 0), server});
  EXPECT_EQ(summary.iteration_s, 4);
  EXPECT_EQ(summary.server_sent_bytes, 900);
}

TEST(Summary, AddsServersUp) {
  MemberResult server = worker(1, 0);
  server.is_server = true;
  const Summary summary = summarize(scenario("parameter_server", 1), "simulated", "star", "k80",
                                    {worker(0, 0), server, server});
  EXPECT_EQ(summary.server_sent_bytes, 1800);
  EXPECT_EQ(summary.sent_bytes_per_worker, 900);
}

TEST(Summary, HasTheColumnsOfTheContract) {
  const std::string csv = to_csv(std::vector<Summary>{});
  EXPECT_EQ(csv,
            "scenario,world,platform,device,model,dataset,algorithm,workers,batch_size,iterations,"
            "iteration_s,compute_s,exposed_communication_s,all_reduce_bound_s,images_per_s,speedup,"
            "efficiency,"
            "sent_bytes_per_worker,received_bytes_per_worker,server_sent_bytes,"
            "server_received_bytes,packets_sent,packets_received,peak_memory_bytes,loss,accuracy,"
            "final_weights_hash,variant,repeats,iteration_s_low,iteration_s_high,"
            "images_per_s_low,images_per_s_high,speedup_low,speedup_high,total_s,lost_s,"
            "skipped_steps\n");
}

TEST(PointResult, ReadsBackWhatItSaved) {
  const Scenario point = scenario("all_reduce", 2);
  PointResult saved{point, two_workers(), {worker(0, 0), worker(1, 1)}, {{"simgrid", "3.32"}}};
  saved.members[0].evaluations = {{10, 1.5, 60, 0.5, 7}, {20, 3, 120, 0.75}};
  saved.members[0].sent_bytes_before = 9;
  saved.members[0].skipped_steps = 2;
  saved.members[0].staleness = {{0, 3}, {7, 1}};
  saved.members[1].iterations[0].loss = std::numeric_limits<double>::quiet_NaN();
  const auto file = std::filesystem::path(testing::TempDir()) / "point_result_test.cbor";
  saved.save(file);
  const PointResult loaded = PointResult::load(file, point);
  EXPECT_EQ(to_json(loaded.summary), to_json(saved.summary));
  EXPECT_EQ(to_json(loaded.members[0]), to_json(saved.members[0]));
  EXPECT_TRUE(std::isnan(*loaded.members[1].iterations[0].loss));
  EXPECT_EQ(loaded.environment, saved.environment);
  std::filesystem::remove(file);
  EXPECT_THROW(PointResult::load(file, point), RunError);
}

Summary row(const std::string& algorithm, int workers, double images_per_s, double sent) {
  Summary summary = two_workers();
  summary.algorithm = algorithm;
  summary.workers = workers;
  summary.images_per_s = images_per_s;
  summary.iteration_s = 10 * workers / images_per_s;
  summary.sent_bytes_per_worker = sent;
  return summary;
}

TEST(Speedups, AreRelativeToOneWorkerThatSendsNothing) {
  std::vector<Summary> rows = {row("parameter_server", 1, 40, 7), row("ring", 1, 50, 0),
                               row("ring", 4, 150, 7)};
  fill_speedups(rows);
  EXPECT_DOUBLE_EQ(*rows[0].speedup, 0.8);
  EXPECT_DOUBLE_EQ(*rows[1].speedup, 1);
  EXPECT_DOUBLE_EQ(*rows[2].speedup, 3);
  EXPECT_DOUBLE_EQ(*rows[2].efficiency, 0.75);
}

TEST(Speedups, AreEmptyWithoutABaselineOfTheSameKind) {
  std::vector<Summary> rows = {row("ring", 1, 50, 0), row("ring", 4, 150, 7)};
  rows[0].batch_size = 99;
  fill_speedups(rows);
  EXPECT_FALSE(rows[1].speedup);
}

TEST(Speedups, HoldAcrossTheHostsOfARealRunButNotAcrossPlatforms) {
  std::vector<Summary> rows = {row("ring", 1, 50, 0), row("ring", 2, 75, 7)};
  rows[1].platform = "host1+host2";
  fill_speedups(rows);
  EXPECT_FALSE(rows[1].speedup);
  for (Summary& row : rows) row.world = "real";
  fill_speedups(rows);
  EXPECT_DOUBLE_EQ(*rows[1].speedup, 1.5);
}

std::string read(const std::filesystem::path& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

TEST(TextTable, SetsColumnsCloserWhereTheyWouldNotFitATerminal) {
  const std::string wide(76, 'w');
  EXPECT_EQ(text_table({wide, "N"}, {{"a", "10"}}, 1),
            wide + "   N\na" + std::string(75, ' ') + "  10\n");
  EXPECT_EQ(text_table({wide + "w", "N"}, {{"a", "10"}}, 1),
            wide + "w  N\na" + std::string(76, ' ') + " 10\n");
}

TEST(ResultFolder, HoldsTheFourFiles) {
  const auto folder = std::filesystem::path(testing::TempDir()) / "result_folder_test";
  std::vector<PointResult> points = {
      {scenario("all_reduce", 2), two_workers(), {worker(0, 0), worker(1, 1)}, {{"seconds", 1}}}};
  write_result_folder(folder, points, {.command = "tandem simulate x", .scenario_file = "x.yaml"});
  EXPECT_THAT(read(folder / "summary.csv"), testing::HasSubstr("example,simulated,star,k80,"));
  EXPECT_THAT(read(folder / "iterations.csv"),
              testing::HasSubstr("0,ring,mnist_cnn,10,2,,1,0,2.5,1,"));
  const auto run = nlohmann::json::parse(read(folder / "run.json"));
  EXPECT_EQ(run["command"], "tandem simulate x");
  EXPECT_FALSE(run["host"].get<std::string>().empty());
  EXPECT_EQ(run["points"][0]["environment"]["seconds"], 1);
  const auto trace = nlohmann::json::parse(read(folder / "trace.json"));
  int complete = 0;
  for (const auto& event : trace["traceEvents"]) complete += event["ph"] == "X" ? 1 : 0;
  EXPECT_EQ(complete, 4);
  std::filesystem::remove_all(folder);
}

TEST(ResultFolder, HasAStalenessHistogramWhereUpdatesAreStale) {
  const auto folder = std::filesystem::path(testing::TempDir()) / "staleness_test";
  MemberResult servers[] = {worker(2, 0), worker(3, 0)};
  servers[0].staleness = {{0, 4}, {2, 1}};
  servers[1].staleness = {{2, 5}};
  std::vector<PointResult> points = {
      {scenario("all_reduce", 2), two_workers(), {worker(0, 0), worker(1, 1)}, {}},
      {scenario("parameter_server", 2),
       row("asynchronous_ps", 2, 1, 1),
       {worker(0, 0), worker(1, 1), servers[0], servers[1]},
       {}}};
  write_result_folder(folder, points, {});
  EXPECT_EQ(read(folder / "staleness.csv"),
            "point,algorithm,model,batch_size,workers,variant,staleness,updates\n"
            "1,asynchronous_ps,mnist_cnn,10,2,,0,4\n1,asynchronous_ps,mnist_cnn,10,2,,2,6\n");
  points.pop_back();
  write_result_folder(folder, points, {});
  EXPECT_FALSE(std::filesystem::exists(folder / "staleness.csv"));
  std::filesystem::remove_all(folder);
}

TEST(ResultFolder, SaysWhatMembersSentOverTime) {
  const auto folder = std::filesystem::path(testing::TempDir()) / "traffic_test";
  PointResult point{scenario("all_reduce", 4), two_workers(), {worker(0, 0), worker(1, 1)}, {}};
  point.members[0].count = 3;  // it stands for two more, whose messages are with its own
  point.members[1].rank = 3;
  point.scenario.trace.members = 1;
  std::vector<PointResult> points = {point};
  write_result_folder(folder, points, {});
  const std::string header =
      "point,rank,members,iteration,iterations,begin_s,end_s,sent_bytes,received_bytes,"
      "sent_packets,received_packets\n";
  EXPECT_EQ(read(folder / "traffic.csv"),
            header + "0,0,3,0,1,0,100,1666.6666666666667,0," +
                "16.666666666666668,0\n0,0,3,1,1,100,102,100,0,1,0\n" +
                "0,0,3,2,1,200,204,100,0,1,0\n0,0,3,3,1,300,309,100,0,1,0\n");
  // Many iterations are put together; what a measurement sent in packets nobody knows.
  points[0].summary.world = "real";
  points[0].members = {worker(0, 0)};
  points[0].members[0].iterations.assign(150, iteration(7, 1, 1, 10));
  write_result_folder(folder, points, {});
  const std::string table = read(folder / "traffic.csv");
  EXPECT_EQ(std::ranges::count(table, '\n'), 1 + 75);
  EXPECT_TRUE(table.starts_with(header + "0,0,1,0,2,7,8,20,0,,\n")) << table;
  std::filesystem::remove_all(folder);
}

TEST(ResultFolder, TellsThePointsOfASweepApartInEveryTable) {
  const auto folder = std::filesystem::path(testing::TempDir()) / "variants_test";
  std::vector<PointResult> points;
  for (const char* device : {"k80", "v100"}) {
    PointResult& point = points.emplace_back(
        PointResult{scenario("all_reduce", 1), two_workers(), {worker(0, 0)}, {}});
    point.scenario.evaluate_every = 3;
    point.summary.device = device;  // of which these tables have no column
    point.summary.variant = "bucket=1 MB";
    point.members[0].count = 2;
    point.members[0].evaluations = {{3, 1.5, 60, 0.5}};
    point.members[0].staleness = {{0, 4}};
    point.lost = LostTimes{.total = 10, .undisturbed = 8, .causes = {{"crash", 2, 1, 1}}};
    point.links.links = {{.name = "link", .bandwidth = 100, .bins = {50}}};
    point.links.end = point.links.bin = 1;
  }
  write_result_folder(folder, points, {});
  EXPECT_EQ(read(folder / "accuracy.csv"),
            "point,algorithm,model,batch_size,workers,variant,iteration,time_s,images,accuracy,"
            "sent_bytes\n"
            "0,ring,mnist_cnn,10,2,bucket=1 MB,3,1.5,60,0.5,5600\n"
            "1,ring,mnist_cnn,10,2,bucket=1 MB,3,1.5,60,0.5,5600\n");
  for (const char* table : {"iterations.csv", "staleness.csv", "lost.csv", "links.csv"}) {
    const std::string text = read(folder / table);
    EXPECT_THAT(text, testing::StartsWith("point,algorithm,")) << table;
    for (const char* point : {"\n0,", "\n1,"})
      EXPECT_THAT(text, testing::HasSubstr(point + std::string("ring,mnist_cnn,10,2,bucket=1 MB,")))
          << table;
  }
  std::filesystem::remove_all(folder);
}

TEST(ResultFolder, CountsBytesOfThoseWhoWereThere) {
  const auto folder = std::filesystem::path(testing::TempDir()) / "bytes_test";
  std::vector<PointResult> points = {
      {scenario("all_reduce", 2), two_workers(), {worker(0, 0)}, {}}};
  points[0].scenario.evaluate_every = 3;
  MemberResult& member = points[0].members[0];
  const auto rows = [&] {
    write_result_folder(folder, points, {});
    const std::string table = read(folder / "accuracy.csv");
    return table.substr(table.find("3,1.5,"));
  };
  member.evaluations = {{3, 1.5, 30, 0.5}};
  EXPECT_EQ(rows(), "3,1.5,30,0.5,5600\n");
  member.first_iteration = 3;
  member.sent_bytes_before = 100;
  member.evaluations = {{3, 1.5, 30, 0.5, 100}, {6, 3, 60, 0.6}};
  EXPECT_EQ(rows(), "3,1.5,30,0.5,100\n0,ring,mnist_cnn,10,2,,6,3,60,0.6,5700\n");
  std::filesystem::remove_all(folder);
}

std::vector<PointResult> points(const std::vector<Summary>& rows) {
  std::vector<PointResult> points;
  points.reserve(rows.size());
  for (const Summary& row : rows)
    points.push_back({scenario("all_reduce", row.workers), row, {}, {}});
  return points;
}

std::vector<ComparisonRow> compare_rows(const std::vector<Summary>& predicted,
                                        const std::vector<std::vector<Summary>>& measured) {
  std::vector<std::vector<PointResult>> repeats;
  repeats.reserve(measured.size());
  for (const auto& rows : measured) repeats.push_back(points(rows));
  return compare(points(predicted), repeats);
}

TEST(Comparison, GivesTheSignedErrorOfThePrediction) {
  const auto rows =
      compare_rows({row("ring", 2, 100, 5)}, {{row("ring", 2, 80, 5), row("ring", 3, 80, 5)}});
  ASSERT_EQ(rows.size(), 7U);  // no speed-up here
  EXPECT_EQ(rows[0].quantity, "iteration_s");
  EXPECT_NEAR(*rows[0].error_percent, -20, 1e-9);
  EXPECT_EQ(rows[4].quantity, "sent_bytes_per_worker");
  EXPECT_EQ(rows[4].error_percent, 0);
}

TEST(Comparison, TakesTheMedianOverRepeats) {
  const auto rows =
      compare_rows({row("ring", 2, 100, 5)},
                   {{row("ring", 2, 80, 5)}, {row("ring", 2, 200, 5)}, {row("ring", 2, 50, 5)}});
  ASSERT_EQ(rows.size(), 7U);
  EXPECT_EQ(rows[1].quantity, "images_per_s");
  EXPECT_EQ(rows[1].measured, 80);
  EXPECT_EQ(rows[1].measured_low, 50);
  EXPECT_EQ(rows[1].measured_high, 200);
  EXPECT_EQ(rows[1].repeats, 3);
  EXPECT_DOUBLE_EQ(*rows[1].error_percent, 25);
  // 0.1 and 0.4 s, and 0.25 in the middle.
  EXPECT_THAT(
      format_table(rows),
      testing::HasSubstr("medians of 3 repeats, whose iteration_s differ by up to 120.0 %"));
}

TEST(Comparison, ShowsTimesSpeedupAndBytesOnATerminal) {
  Summary predicted = row("ring", 2, 100, 2.5e6), measured = row("ring", 2, 80, 4e6);
  predicted.speedup = 1.5;
  measured.speedup = 1.2;
  const std::string table = format_table(compare_rows({predicted}, {{measured}}));
  const auto has_line = [](const std::string& figures) {
    return testing::ContainsRegex("ring +" + figures + "\n");
  };
  EXPECT_THAT(table, has_line("iteration_s +2 +0.2000 +0.2500 +-20.0 %"));
  EXPECT_THAT(table, has_line("exposed_s +2 +[0-9.]+ +[0-9.]+ +.0.0 %"));
  EXPECT_THAT(table, has_line("speedup +2 +1.500 +1.200 +.25.0 %"));
  EXPECT_THAT(table, has_line("sent_MB +2 +2.500 +4.000 +-37.5 %"));
  EXPECT_THAT(table, testing::Not(testing::HasSubstr("repeats")));
}

TEST(Comparison, MatchesRowsThatAreAlikeInTheirOrder) {
  const auto rows = compare_rows({row("ring", 2, 100, 5), row("ring", 2, 40, 5)},
                                 {{row("ring", 2, 50, 5), row("ring", 2, 80, 5)}});
  ASSERT_EQ(rows.size(), 14U);
  EXPECT_EQ(rows[1].quantity, "images_per_s");
  EXPECT_DOUBLE_EQ(*rows[1].error_percent, 100);
  EXPECT_DOUBLE_EQ(*rows[8].error_percent, -50);
}

TEST(Comparison, GivesNoErrorWhereNothingWasMeasuredToDivideBy) {
  const auto rows = compare_rows({row("none", 1, 100, 5)}, {{row("none", 1, 100, 0)}});
  EXPECT_EQ(rows[4].quantity, "sent_bytes_per_worker");
  EXPECT_FALSE(rows[4].error_percent);
  EXPECT_THAT(to_csv(rows),
              testing::HasSubstr("none,mnist_cnn,1,sent_bytes_per_worker,5,0,,1,0,0,k80\n"));
}

TEST(Comparison, GivesEachMemberItsOwnRows) {
  Scenario three = scenario("all_reduce", 2);
  three.warmup_iterations = 0;
  const auto member = [](int rank, double seconds, std::uint64_t sent) {
    MemberResult result;
    result.rank = rank;
    IterationRecord record;
    record.end = seconds;
    record.traffic.sent_bytes = sent;
    result.iterations = {record};
    return result;
  };
  const Summary both = row("ring", 2, 100, 5);
  const std::vector<PointResult> predicted = {
      {three, both, {member(0, 1, 10), member(1, 3, 20)}, {}}};
  const std::vector<std::vector<PointResult>> measured = {
      {{three, both, {member(0, 2, 10), member(1, 3, 40)}, {{"hosts", {"node-a", "node-b"}}}}}};
  const auto rows = compare_members(predicted, measured);
  ASSERT_EQ(rows.size(), 10U);
  EXPECT_EQ(rows[0].quantity, "iteration_s");
  EXPECT_EQ(rows[0].rank, 0);
  EXPECT_DOUBLE_EQ(*rows[0].error_percent, -50);
  EXPECT_EQ(rows[8].quantity, "sent_bytes");
  EXPECT_EQ(rows[8].rank, 1);
  EXPECT_DOUBLE_EQ(*rows[8].error_percent, -50);
  EXPECT_THAT(members_csv(rows),
              testing::HasSubstr("ring,mnist_cnn,2,1,worker,iteration_s,3,3,0,1,3,3,k80,node-b\n"));
  EXPECT_THAT(
      format_table(compare(predicted, measured), rows),
      testing::HasSubstr("mean |error| of each worker's iteration_s: 25.0 % over 2 workers\n"
                         "  the largest: -50.0 %, rank 0 on node-a\n"
                         "  of mnist_cnn, ring, 2 workers\n"));
}

TEST(Tables, SayWhatIsPaced) {
  Summary paced = row("ring", 2, 100, 5);
  paced.device = "paced:k80";
  const std::string note =
      "\npaced:k80: waits for as long as a profile says, and computes nothing\n";
  EXPECT_THAT(format_table({paced, paced}), testing::EndsWith(note));
  EXPECT_THAT(format_table(compare_rows({paced}, {{paced}})), testing::EndsWith(note));
  EXPECT_THAT(format_table({row("ring", 2, 100, 5)}), testing::Not(testing::HasSubstr("k80")));
}

TEST(Tables, FitEightyColumns) {
  Summary wide = row("parameter_server", 16384, 123456.7, 1);
  wide.model = "inception_v3";
  wide.accuracy = 0.98765;
  for (const std::string& table :
       {format_table({wide}), format_table(compare_rows({wide}, {{wide}}))}) {
    std::istringstream lines(table);
    for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 80U) << line;
  }
}

TEST(Tables, ShowFourDigits) {
  EXPECT_EQ(four_digits(12.3456), "12.35");
  EXPECT_EQ(four_digits(0.00042111), "0.0004211");
  EXPECT_EQ(four_digits(0.0277), "0.02770");
  EXPECT_EQ(four_digits(1234.5), "1234");
  EXPECT_EQ(four_digits(0.0), "0");
  EXPECT_EQ(four_digits(std::nullopt), "-");
}

TEST(Csv, QuotesWhatNeedsIt) {
  EXPECT_EQ(csv_line({"a", "b,c", "say \"x\""}), "a,\"b,c\",\"say \"\"x\"\"\"\n");
  EXPECT_EQ(csv_number(0.1), "0.1");
  EXPECT_EQ(csv_number(std::nullopt), "");
}

}  // namespace
}  // namespace tandem
