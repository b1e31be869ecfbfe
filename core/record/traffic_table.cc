#include "core/record/traffic_table.h"

#include <algorithm>
#include <map>

#include "core/record/csv.h"

namespace tandem {
namespace {

constexpr std::size_t kStretches = 100;

bool is_shown(const Scenario& scenario, int rank) {
  return (rank < scenario.workers ? rank : rank - scenario.workers) < scenario.trace.members;
}

/// When an iteration began and ended, in the mean over workers.
struct Times {
  Seconds begin = 0, end = 0;
  int workers = 0;
};

/// By iteration; none where there is no server to take them for.
std::map<std::size_t, Times> times_of_workers(const PointResult& point) {
  const auto is_server = [&](const MemberResult& m) { return m.rank >= point.scenario.workers; };
  std::map<std::size_t, Times> all;
  if (std::ranges::none_of(point.members, is_server)) return all;
  for (const MemberResult& member : point.members) {
    if (is_server(member)) continue;
    for (std::size_t i = 0; i < member.iterations.size(); ++i) {
      Times& times = all[i + static_cast<std::size_t>(member.first_iteration)];
      times.begin += member.count * member.iterations[i].begin;
      times.end += member.count * member.iterations[i].end;
      times.workers += member.count;
    }
  }
  for (auto& [iteration, times] : all) {
    times.begin /= times.workers;
    times.end /= times.workers;
  }
  return all;
}

/// What the bytes of an iteration that the member recorded went over in: its own time, or of a
/// server, whose bytes are of the workers' iterations, theirs.
Times times_of(const PointResult& point, const std::map<std::size_t, Times>& of_workers,
               const MemberResult& member, std::size_t i) {
  const auto found = of_workers.find(i + static_cast<std::size_t>(member.first_iteration));
  if (member.rank >= point.scenario.workers && found != of_workers.end()) return found->second;
  return {.begin = member.iterations[i].begin, .end = member.iterations[i].end};
}

/// Of iterations `begin` to `end`, of those that the member recorded.
std::string line_of(const PointResult& point, const std::map<std::size_t, Times>& of_workers,
                    std::size_t number, const MemberResult& member, std::size_t begin,
                    std::size_t end) {
  Traffic all;
  for (std::size_t i = begin; i < end; ++i) all = all + member.iterations[i].traffic;
  const auto each = [&](std::uint64_t count) {
    return csv_number(static_cast<double>(count) / member.count);
  };
  const bool is_simulated = point.summary.world == "simulated";
  const auto first = begin + static_cast<std::size_t>(member.first_iteration);
  return csv_line({std::to_string(number), std::to_string(member.rank),
                   std::to_string(member.count), std::to_string(first), std::to_string(end - begin),
                   csv_number(times_of(point, of_workers, member, begin).begin),
                   csv_number(times_of(point, of_workers, member, end - 1).end),
                   each(all.sent_bytes), each(all.received_bytes),
                   is_simulated ? each(all.sent_packets) : "",
                   is_simulated ? each(all.received_packets) : ""});
}

}  // namespace

std::string traffic_csv(const std::vector<PointResult>& points) {
  std::string csv =
      csv_line({"point", "rank", "members", "iteration", "iterations", "begin_s", "end_s",
                "sent_bytes", "received_bytes", "sent_packets", "received_packets"});
  for (std::size_t number = 0; number < points.size(); ++number) {
    const PointResult& point = points[number];
    const std::map<std::size_t, Times> of_workers = times_of_workers(point);
    for (const MemberResult& member : point.members) {
      if (!is_shown(point.scenario, member.rank)) continue;
      const std::size_t all = member.iterations.size();
      const std::size_t length = std::max<std::size_t>(1, (all + kStretches - 1) / kStretches);
      for (std::size_t begin = 0; begin < all; begin += length)
        csv += line_of(point, of_workers, number, member, begin, std::min(begin + length, all));
    }
  }
  return csv;
}

}  // namespace tandem
