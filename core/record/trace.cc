#include "core/record/trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <nlohmann/json.hpp>
#include <numeric>
#include <utility>

#include "core/record/message_sides.h"
#include "core/record/trace_tracks.h"

namespace tandem {
namespace {

constexpr double kMicrosecondsPerSecond = 1e6;
constexpr double kNanosecondsPerMicrosecond = 1e3;

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

/// Trace events as text. As a tree of JSON values they would take ten times as long to write.
class Events {
 public:
  /// `fields`: those of a JSON object, without its braces.
  template <typename... Values>
  void add(fmt::format_string<Values...> fields, Values&&... values) {
    text_ += text_.empty() ? "{" : ",\n{";
    fmt::format_to(std::back_inserter(text_), fields, std::forward<Values>(values)...);
    text_ += '}';
  }

  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

std::string quoted(const std::string& text) {
  const bool is_plain = std::ranges::all_of(
      text, [](char c) { return c >= ' ' && c <= '~' && c != '"' && c != '\\'; });
  return is_plain ? '"' + text + '"' : nlohmann::json(text).dump();
}

/// `tracks`: how many it has.
void name_process(Events& events, int process, const std::string& name, int tracks) {
  events.add(R"("ph":"M","pid":{},"name":"process_name","args":{{"name":{}}})", process,
             quoted(name));
  events.add(R"("ph":"M","pid":{0},"name":"process_sort_index","args":{{"sort_index":{0}}})",
             process);
  for (int track = 0; track < tracks; ++track) {
    const std::string of_lane = lane_name(lane_of_track(track));
    events.add(
        R"("ph":"M","pid":{},"tid":{},"name":"thread_name","args":{{"name":"{}"}})", process, track,
        track < kFirstFurtherTrack ? of_lane
                                   : fmt::format("{} {}", of_lane, track - kFirstFurtherTrack + 2));
    events.add(
        R"("ph":"M","pid":{0},"tid":{1},"name":"thread_sort_index","args":{{"sort_index":{1}}})",
        process, track);
  }
}

/// What is known of it besides, as fields of a JSON object that follow others.
std::string arguments_of(const Span& span) {
  std::string text;
  const auto add = [&](const char* name, const auto& value) {
    fmt::format_to(std::back_inserter(text), R"(,"{}":{})", name, value);
  };
  const auto add_time = [&](const char* name, Seconds time) {
    if (time > 0) add(name, time * kMicrosecondsPerSecond);
  };
  if (span.bytes > 0) add("bytes", span.bytes);
  if (span.peer >= 0) add("peer", span.peer);
  if (span.iteration >= 0) add("iteration", span.iteration);
  if (!span.phase.empty()) add("phase", quoted(span.phase));
  if (span.position >= 0) add("position", span.position);
  if (span.order >= 0) add("order", span.order);
  if (span.message != 0) add("message", span.message);
  if (span.time.alone >= 0) add("alone", span.time.alone * kMicrosecondsPerSecond);
  add_time("latency", span.time.latency);
  add_time("fixed", span.time.fixed);
  add_time("reduce", span.time.reduce);
  if (span.unasked) add("unasked", true);
  if (span.tag >= 0) add("tag", span.tag);
  if (span.from_any) add("from_any", true);
  const auto add_task = [&](const char* name, const Task& task) {
    if (task.kind == Task::Kind::kOwn) return;
    fmt::format_to(std::back_inserter(text), R"(,"{}":[{},{},{}])", name,
                   static_cast<int>(task.kind), task.number, task.cause);
  };
  add_task("task", span.task);
  if (span.turn.position >= 0) {
    add("asked_position", span.turn.position);
    add("asked_order", span.turn.order);
    add_task("asked_task", span.turn.task);
    add("priority", span.turn.priority);
  }
  if (span.round.collective != 0) {
    add("collective", span.round.collective);
    add("round", span.round.number);
    if (span.round.slice > 0) add("slice", span.round.slice);
  }
  return text;
}

/// Of one point's members.
class PointEvents {
 public:
  /// Times count from `begin`.
  PointEvents(Events& events, int point, Seconds begin)
      : events_(events), point_(point), begin_(begin) {}

  void add_span(const Span& span, int process, int track, int rank) {
    events_.add(
        R"("ph":"X","pid":{},"tid":{},"name":{},"ts":{},"dur":{},"args":{{"point":{},"rank":{}{}}})",
        process, track, quoted(span.name), microseconds(span.begin), duration(span), point_, rank,
        arguments_of(span));
  }

  /// An end of an arrow from a send to its receive; both have the message's number and the point's.
  void add_arrow_end(const Span& span, int process, int track) {
    const bool starts = span.name == "send";
    events_.add(
        R"("ph":"{}","pid":{},"tid":{},"cat":"message","name":"message","id":"{}-{}","ts":{}{})",
        starts ? "s" : "f", process, track, point_, span.message,
        microseconds(starts ? span.begin : span.end),
        starts ? "" : R"(,"bp":"e")");  // of the slice around it, not of the next one
  }

  /// The track of each span of a member, and how many the member has.
  std::pair<std::vector<int>, int> tracks_of(const std::vector<Span>& spans) const {
    std::vector<std::size_t> order(spans.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, {}, [&](std::size_t at) { return spans[at].begin; });
    std::vector<int> tracks(spans.size());
    CommunicationTracks communication;
    for (const std::size_t at : order) {
      const Span& span = spans[at];
      const std::int64_t begin = nanoseconds(microseconds(span.begin));
      tracks[at] = span.lane == Lane::kCommunication
                       ? communication.place(begin, begin + nanoseconds(duration(span)))
                       : static_cast<int>(span.lane);
    }
    return {tracks, std::max(kFirstFurtherTrack, communication.end())};
  }

 private:
  double microseconds(Seconds time) const { return (time - begin_) * kMicrosecondsPerSecond; }
  /// Of what took no time, the begin may come out after the end by what sums were rounded.
  static double duration(const Span& span) {
    return std::max(0.0, span.end - span.begin) * kMicrosecondsPerSecond;
  }
  /// As viewers read what is written.
  static std::int64_t nanoseconds(double microseconds) {
    return static_cast<std::int64_t>(std::floor(microseconds * kNanosecondsPerMicrosecond));
  }

  Events& events_;
  int point_;
  Seconds begin_;
};

MessageSides message_sides(const PointResult& point) {
  MessageSides sides;
  for (const MemberResult& member : point.members)
    for (const Span& span : member.spans) sides.add(span);
  return sides;
}

Seconds first_begin(const PointResult& point) {
  Seconds first = kForever;
  for (const MemberResult& member : point.members)
    for (const Span& span : member.spans) first = std::min(first, span.begin);
  return first;
}

}  // namespace

std::string chrome_trace(const std::vector<PointResult>& points, TraceClock clock) {
  Events events;
  int process = 0, number = -1;
  for (const PointResult& point : points) {
    ++number;
    PointEvents of_point(events, number, clock == TraceClock::kOfTrace ? first_begin(point) : 0);
    const MessageSides sides = message_sides(point);
    for (const MemberResult& member : point.members) {
      if (member.spans.empty()) continue;
      ++process;
      const auto [tracks, count] = of_point.tracks_of(member.spans);
      name_process(
          events, process,
          fmt::format("{} {} {} ({})", point.summary.world, member.is_server ? "server" : "worker",
                      member.rank, point.summary.label()),
          count);
      for (std::size_t i = 0; i < member.spans.size(); ++i) {
        const Span& span = member.spans[i];
        of_point.add_span(span, process, tracks[i], member.rank);
        if (sides.begins_arrow(span) || sides.ends_arrow(span))
          of_point.add_arrow_end(span, process, tracks[i]);
      }
    }
  }
  return fmt::format("{{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n{}\n]}}\n", events.text());
}

}  // namespace tandem
