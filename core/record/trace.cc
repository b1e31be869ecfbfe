#include "core/record/trace.h"

#include <fmt/format.h>

namespace tandem {
namespace {

using nlohmann::json;

constexpr double kMicrosecondsPerSecond = 1e6;

const char* lane_name(Lane lane) {
  switch (lane) {
    case Lane::kCompute:
      return "compute";
    case Lane::kWait:
      return "wait";
    case Lane::kCommunication:
      return "communication";
  }
  return "?";
}

void name_process(json& events, int process, const std::string& name) {
  events.push_back(
      {{"ph", "M"}, {"pid", process}, {"name", "process_name"}, {"args", {{"name", name}}}});
  events.push_back({{"ph", "M"},
                    {"pid", process},
                    {"name", "process_sort_index"},
                    {"args", {{"sort_index", process}}}});
  for (const Lane lane : {Lane::kCompute, Lane::kWait, Lane::kCommunication}) {
    events.push_back({{"ph", "M"},
                      {"pid", process},
                      {"tid", static_cast<int>(lane)},
                      {"name", "thread_name"},
                      {"args", {{"name", lane_name(lane)}}}});
  }
}

json complete_event(const Span& span, int process) {
  json event = {{"ph", "X"},
                {"pid", process},
                {"tid", static_cast<int>(span.lane)},
                {"name", span.name},
                {"ts", span.begin * kMicrosecondsPerSecond},
                {"dur", (span.end - span.begin) * kMicrosecondsPerSecond}};
  if (span.bytes > 0) event["args"]["bytes"] = span.bytes;
  if (span.peer >= 0) event["args"]["peer"] = span.peer;
  return event;
}

}  // namespace

std::string chrome_trace(const std::vector<PointResult>& points) {
  json events = json::array();
  int process = 0;
  for (const PointResult& point : points) {
    for (const MemberResult& member : point.members) {
      if (member.spans.empty()) continue;
      ++process;
      name_process(
          events, process,
          fmt::format("{} {} {} ({})", point.summary.world, member.is_server ? "server" : "worker",
                      member.rank, point.summary.label()));
      for (const Span& span : member.spans) events.push_back(complete_event(span, process));
    }
  }
  return json{{"traceEvents", events}, {"displayTimeUnit", "ms"}}.dump();
}

}  // namespace tandem
