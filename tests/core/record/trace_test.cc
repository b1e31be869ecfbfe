#include "core/record/trace.h"

#include <gmock/gmock.h>

#include <map>
#include <nlohmann/json.hpp>

namespace tandem {
namespace {

using nlohmann::json;

/// Two workers of which the first sends to the second, from time 10 on.
PointResult point(const std::string& world) {
  PointResult result;
  result.summary.world = world;
  result.members.resize(2);
  result.members[1].rank = 1;
  result.members[0].spans = {
      {.lane = Lane::kCompute, .name = "a \"name\"", .begin = 10, .end = 11, .phase = "forward"},
      {.lane = Lane::kCommunication,
       .name = "send",
       .begin = 11,
       .end = 11.5,
       .bytes = 8,
       .peer = 1,
       .message = 77}};
  result.members[1].spans = {
      {.lane = Lane::kCommunication,
       .name = "receive",
       .begin = 10.5,
       .end = 11.75,
       .bytes = 8,
       .peer = 0,
       .message = 77},
      {.lane = Lane::kWait, .name = "wait", .begin = 11, .end = 11.75, .message = 77}};
  return result;
}

std::vector<json> of_kind(const json& trace, const std::string& kind) {
  std::vector<json> found;
  for (const json& event : trace.at("traceEvents"))
    if (event.at("ph") == kind) found.push_back(event);
  return found;
}

TEST(ChromeTrace, HasAnEventASpanAndAnArrowAMessage) {
  const json trace = json::parse(chrome_trace({point("simulated")}));
  const std::vector<json> spans = of_kind(trace, "X");
  ASSERT_EQ(spans.size(), 4U);
  EXPECT_EQ(spans[0].at("name"), "a \"name\"");
  EXPECT_EQ(spans[0].at("ts"), 10e6);
  EXPECT_EQ(spans[0].at("dur"), 1e6);
  EXPECT_EQ(spans[0].at("args"), json({{"point", 0}, {"rank", 0}, {"phase", "forward"}}));
  EXPECT_EQ(spans[1].at("args"),
            json({{"point", 0}, {"rank", 0}, {"bytes", 8}, {"peer", 1}, {"message", 77}}));
  EXPECT_EQ(spans[2].at("pid"), 2);
  ASSERT_EQ(of_kind(trace, "s").size(), 1U);
  ASSERT_EQ(of_kind(trace, "f").size(), 1U);
  EXPECT_EQ(of_kind(trace, "s")[0].at("ts"), 11e6);
  EXPECT_EQ(of_kind(trace, "f")[0].at("ts"), 11.75e6);
  EXPECT_EQ(of_kind(trace, "s")[0].at("id"), of_kind(trace, "f")[0].at("id"));
}

TEST(ChromeTrace, LaysPointsSideBySide) {
  PointResult later = point("real");
  for (MemberResult& member : later.members) {
    for (Span& span : member.spans) {
      span.begin += 90;
      span.end += 90;
    }
  }
  const json trace = json::parse(chrome_trace({point("simulated"), later}, TraceClock::kOfTrace));
  const std::vector<json> spans = of_kind(trace, "X");
  ASSERT_EQ(spans.size(), 8U);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(spans[i].at("ts"), spans[i + 4].at("ts"));
  EXPECT_EQ(spans[0].at("ts"), 0);
  EXPECT_EQ(spans[4].at("pid"), 3);
  EXPECT_THAT(trace.dump(), testing::HasSubstr("real worker 1"));
  EXPECT_NE(of_kind(trace, "s")[0].at("id"), of_kind(trace, "s")[1].at("id"));
}

TEST(ChromeTrace, GivesCommunicationsThatOverlapTracksOfTheirOwn) {
  PointResult result = point("simulated");
  const auto message = [](const char* name, Seconds begin, Seconds end, std::uint64_t number) {
    return Span{.lane = Lane::kCommunication,
                .name = name,
                .begin = begin,
                .end = end,
                .peer = 1,
                .message = number};
  };
  // Not in the order of their begins, as members end them.
  result.members[0].spans = {message("send", 2, 3, 1), message("send", 1, 4, 2),
                             message("send", 2.5, 6, 3), message("receive", 3, 5, 4)};
  result.members[1].spans = {message("receive", 2, 3, 1), message("receive", 1, 4, 2),
                             message("receive", 2.5, 6, 3), message("send", 3, 5, 4)};
  const json trace = json::parse(chrome_trace({result}));
  const auto tracks = [&](const char* kind) {
    std::vector<int> tracks;
    for (const json& event : of_kind(trace, kind)) tracks.push_back(event.at("tid"));
    return tracks;
  };
  EXPECT_THAT(tracks("X"), testing::ElementsAre(3, 2, 4, 3, 3, 2, 4, 3));
  EXPECT_THAT(tracks("s"), testing::ElementsAre(3, 2, 4, 3));
  EXPECT_THAT(tracks("f"), testing::ElementsAre(3, 3, 2, 4));
  std::map<int, std::string> names;
  std::map<int, int> order;
  for (const json& event : of_kind(trace, "M")) {
    if (event.at("pid") != 1 || !event.contains("tid")) continue;
    if (event.at("name") == "thread_name") names[event["tid"]] = event["args"]["name"];
    if (event.at("name") == "thread_sort_index") order[event["tid"]] = event["args"]["sort_index"];
  }
  EXPECT_EQ(names, (std::map<int, std::string>{{0, "compute"},
                                               {1, "wait"},
                                               {2, "communication"},
                                               {3, "communication 2"},
                                               {4, "communication 3"}}));
  EXPECT_EQ(order, (std::map<int, int>{{0, 0}, {1, 1}, {2, 2}, {3, 3}, {4, 4}}));
}

TEST(ChromeTrace, IsEmptyWithoutSpans) {
  EXPECT_EQ(json::parse(chrome_trace({})).at("traceEvents"), json::array());
}

}  // namespace
}  // namespace tandem
