// What is read of a result folder, whoever wrote it.

#include "core/record/traced_point.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <cstdint>
#include <fstream>
#include <limits>
#include <map>

#include "core/base/atomic_file.h"
#include "core/base/error.h"
#include "core/record/result_folder.h"

namespace tandem {
namespace {

using nlohmann::json;

class ReadTracedPoint : public testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directories(folder_); }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  TracedPoint read() const {
    write_file_atomically(folder_ / "run.json", run_.dump());
    write_file_atomically(folder_ / "trace.json", json{{"traceEvents", {event_}}}.dump());
    return read_traced_point(folder_, 0);
  }

  std::string refusal() const {
    try {
      read();
    } catch (const InputError& error) {
      return error.what();
    }
    return "it was read";
  }

  const std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("tandem-traced-point-" + std::to_string(getpid()));
  json run_ = {{"points", {{{"scenario", {{"workers", 2}}}}}}};
  json event_ = {
      {"ph", "X"},      {"tid", 2},
      {"name", "send"}, {"ts", 1e6},
      {"dur", 5e5},     {"args", {{"point", 0}, {"rank", 1}, {"bytes", 8}, {"message", 7}}}};
};

// What no number of its kind can be, among it what a conversion would make one of.
const std::vector<json> kAbsurd = {
    -1,      2.5, 1e300, -1e300,       std::uint64_t{1} << 32U, ~std::uint64_t{0},
    nullptr, "2", true,  json::array()};

TEST_F(ReadTracedPoint, GivesWhatWasWritten) {
  const TracedPoint point = read();
  ASSERT_EQ(point.spans.size(), 1);
  EXPECT_EQ(point.spans[0].rank, 1);
  EXPECT_EQ(point.spans[0].span.lane, Lane::kCommunication);
  EXPECT_EQ(point.spans[0].span.bytes, 8);
  EXPECT_EQ(point.spans[0].span.end, 1.5);
}

TEST_F(ReadTracedPoint, RefusesLanesThatThereAreNot) {
  for (const json& lane : kAbsurd) {
    event_["tid"] = lane;
    EXPECT_THAT(refusal(), testing::HasSubstr("trace.json: not as this tandem writes it")) << lane;
    EXPECT_THAT(refusal(), testing::HasSubstr("(tid: ")) << lane;
  }
}

TEST_F(ReadTracedPoint, TakesFurtherTracksForCommunication) {
  const std::vector<Lane> lanes = {Lane::kCompute, Lane::kWait, Lane::kCommunication,
                                   Lane::kCommunication, Lane::kCommunication};
  for (std::size_t track = 0; track < lanes.size(); ++track) {
    event_["tid"] = track;
    EXPECT_EQ(read().spans.at(0).span.lane, lanes[track]) << track;
  }
}

TEST_F(ReadTracedPoint, RefusesRanksThatThereAreNot) {
  for (const json& rank : kAbsurd) {
    event_["args"]["rank"] = rank;
    EXPECT_THAT(refusal(), testing::HasSubstr("(rank: it can't be ")) << rank;
  }
}

TEST_F(ReadTracedPoint, RefusesBytesThatAreNoCount) {
  for (const json& bytes : {json(-1), json(2.5), json(1e300), json("8")}) {
    event_["args"]["bytes"] = bytes;
    EXPECT_THAT(refusal(), testing::HasSubstr("(bytes: it can't be ")) << bytes;
  }
}

TEST_F(ReadTracedPoint, RefusesCountsBelowZeroAndThoseThatOverflowWhereTheyAreAdded) {
  for (const char* count :
       {"iteration", "position", "order", "tag", "asked_position", "priority"}) {
    for (const json& absurd : {json(-2), json(std::numeric_limits<int>::min()),
                               json(std::numeric_limits<std::int64_t>::max())}) {
      event_["args"][count] = absurd;
      EXPECT_THAT(refusal(), testing::HasSubstr(count + std::string(": it can't be "))) << absurd;
      event_["args"].erase(count);
    }
  }
  event_["args"]["iteration"] = std::numeric_limits<int>::max();
  EXPECT_THAT(refusal(), testing::HasSubstr("iteration: it can't be "));
}

TEST_F(ReadTracedPoint, RefusesScenariosWithoutWorkersOrWhoseNameIsNone) {
  for (const json& scenario : {json(3), json::object(), json{{"workers", 0}},
                               json{{"workers", "2"}}, json{{"workers", 2}, {"name", 3}}}) {
    run_["points"][0]["scenario"] = scenario;
    EXPECT_THAT(refusal(), testing::HasSubstr("run.json: not as this tandem writes it"))
        << scenario;
  }
}

TEST_F(ReadTracedPoint, KnowsWorkersThatWereLostBeforeWhatItShows) {
  EXPECT_EQ(read().workers, 2);
  event_["args"]["rank"] = 0;
  run_["points"][0]["environment"]["recorded_workers"] = 1;
  EXPECT_EQ(read().workers, 1);
  for (const json& odd : {json(0), json(3), json("1"), json()}) {
    run_["points"][0]["environment"]["recorded_workers"] = odd;
    EXPECT_THAT(refusal(), testing::HasSubstr("recorded_workers")) << odd;
  }
}

TEST_F(ReadTracedPoint, RefusesEventsOfMembersThatThereAreNot) {
  event_["args"]["rank"] = 2;
  EXPECT_THAT(refusal(), testing::HasSubstr("trace.json: not as this tandem writes it"));
  EXPECT_THAT(refusal(), testing::HasSubstr("(rank: it can't be 2)"));
  run_["points"][0]["scenario"]["algorithm"] = {{"name", "parameter_server"}, {"servers", 1}};
  EXPECT_EQ(read().spans[0].rank, 2);
  run_["points"][0]["environment"]["recorded_workers"] = 1;
  EXPECT_THAT(refusal(), testing::HasSubstr("(rank: it can't be 2)"));
  for (const json& absurd : kAbsurd) {
    run_["points"][0]["scenario"]["algorithm"]["servers"] = absurd;
    EXPECT_THAT(refusal(), testing::HasSubstr("(servers: it can't be ")) << absurd;
  }
}

TEST_F(ReadTracedPoint, RefusesNetworksThatNothingCouldGoOver) {
  json& network = run_["points"][0]["environment"]["network"];
  const json whole = {
      {"hosts", {"a", "b"}}, {"links", {{"wire", 1e9}}}, {"routes", {{0, 1, {"wire"}}}}};
  network = whole;
  EXPECT_EQ(read().network.routes.at({0, 1}).links, std::vector<std::string>{"wire"});
  network["routes"][0][2] = {"other"};
  EXPECT_THAT(refusal(), testing::HasSubstr("run.json: not as this tandem writes it"));
  EXPECT_THAT(refusal(), testing::HasSubstr("(routes: there is no link \"other\")"));
  network = whole;
  network["routes"][0][0] = -1;
  EXPECT_THAT(refusal(), testing::HasSubstr("(routes: it can't be -1)"));
  network = whole;
  network["links"]["wire"] = 0;
  EXPECT_THAT(refusal(), testing::HasSubstr("(links: wire can't carry 0 bytes/s)"));
}

// Each line is a value in a place of a result, or that there is none, and whether that fits.
TEST_F(ReadTracedPoint, TakesAndRefusesWhatFiguresDo) {
  std::ifstream lines(TANDEM_CORE_TEST_FOLDER "/record/odd_traces.jsonl");
  const json event = event_;
  int count = 0;
  for (std::string line; std::getline(lines, line); ++count) {
    const json odd = json::parse(line);
    event_ = event;
    json& point = run_["points"][0];
    point["environment"] = {{"network",
                             {{"hosts", {"a", "b"}},
                              {"links", {{"wire", 1e9}}},
                              {"routes", {{0, 1, {"wire"}, 1e-5}}}}}};
    const std::map<std::string, json*> places = {{"event", &event_},
                                                 {"args", &event_["args"]},
                                                 {"point", &point},
                                                 {"environment", &point["environment"]},
                                                 {"network", &point["environment"]["network"]}};
    json& place = *places.at(odd["in"]);
    place.erase(odd["name"].get<std::string>());
    if (odd.contains("value")) place[odd["name"].get<std::string>()] = odd["value"];
    EXPECT_EQ(refusal() == "it was read", odd["fits"].get<bool>()) << line << ": " << refusal();
  }
  EXPECT_GT(count, 200);
}

TEST_F(ReadTracedPoint, RefusesWhatIsNestedDeeperThanTheStackIs) {
  constexpr std::size_t kDeep = 200'000;
  const std::string nested = std::string(kDeep, '[') + std::string(kDeep, ']');
  read();
  write_file_atomically(folder_ / "trace.json", R"({"traceEvents": )" + nested + "}");
  EXPECT_THAT(
      [&] { read_traced_point(folder_, 0); },
      testing::ThrowsMessage<InputError>(testing::HasSubstr("trace.json: is nested too deeply")));
  write_file_atomically(folder_ / "run.json", R"({"points": )" + nested + "}");
  EXPECT_THAT(
      [&] { count_points(folder_); },
      testing::ThrowsMessage<InputError>(testing::HasSubstr("run.json: is nested too deeply")));
}

TEST_F(ReadTracedPoint, TakesFormatsThatItKnowsAndNone) {
  EXPECT_EQ(read().spans.size(), 1);
  run_["format"] = kResultFormat;
  EXPECT_EQ(read().spans.size(), 1);
  run_["format"] = kResultFormat + 1;
  EXPECT_THAT(refusal(), testing::HasSubstr("run.json: this result has format 2, but this tandem "
                                            "reads none newer than 1; "));
  for (const json& format : {json(-1), json(1.5), json("1"), json(nullptr)}) {
    run_["format"] = format;
    EXPECT_THAT(refusal(), testing::HasSubstr("has to be a whole number")) << format;
  }
}

}  // namespace
}  // namespace tandem
