#include "core/record/traced_point.h"

#include <fmt/ranges.h>

#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <utility>

#include "core/base/error.h"
#include "core/base/json_file.h"
#include "core/record/result_folder.h"
#include "core/record/trace_tracks.h"

namespace tandem {
namespace {

using nlohmann::json;

constexpr double kSecondsPerMicrosecond = 1e-6;

/// Of any figure, as MOST of analysis/results.py: what is beyond it, added up, might be beyond all
/// numbers.
constexpr double kMost = 1e100;

/// What a folder without `file` may be meant for.
std::string meant(const std::filesystem::path& folder) {
  std::vector<std::string> results;
  for (const char* part : {"predicted", "measured", "measured/1"})
    if (std::filesystem::exists(folder / part / "run.json"))
      results.push_back((folder / part).string());
  if (results.empty()) return "a result is a folder that tandem simulate or run wrote";
  return fmt::format("{} is a comparison, whose results are {}", folder.string(),
                     fmt::join(results, " and "));
}

json read_json(const std::filesystem::path& file) {
  if (!std::filesystem::exists(file))
    throw InputError(fmt::format("{}: no such file; {}", file.string(), meant(file.parent_path())));
  if (!std::filesystem::is_regular_file(file))
    throw InputError(fmt::format("{}: not a file", file.string()));
  return read_json_file(file);
}

/// A value that this tandem does not write.
class UnknownValue : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

UnknownValue odd(const char* name, const json& value) {
  return UnknownValue(fmt::format("{}: it can't be {}", name, value.dump()));
}

/// A figure that can be added to others.
double number(const json& value, const char* name) {
  if (!value.is_number() || std::abs(value.get<double>()) > kMost) throw odd(name, value);
  return value.get<double>();
}

Seconds seconds(const json& args, const char* name, Seconds otherwise) {
  return args.contains(name) ? number(args[name], name) * kSecondsPerMicrosecond : otherwise;
}

/// A whole number from `least` on, which can be added to another; the library would make one of any
/// other, and of whatever is too large.
template <typename Number>
Number whole(const json& value, const char* name, Number least) {
  const bool fits =
      value.is_number_unsigned()
          ? std::in_range<Number>(value.get<std::uint64_t>())
          : value.is_number_integer() && std::in_range<Number>(value.get<std::int64_t>());
  if (!fits || value.get<Number>() < least ||
      value.get<Number>() > std::numeric_limits<Number>::max() / 2)
    throw odd(name, value);
  return value.get<Number>();
}

/// Where it is missing, the least that it can be.
template <typename Number>
Number whole_or(const json& args, const char* name, Number otherwise) {
  return args.contains(name) ? whole(args[name], name, otherwise) : otherwise;
}

/// An enumeration's value, whose last is given.
template <typename Enum>
Enum one_of(const json& value, Enum last, const char* name) {
  const auto number = whole(value, name, 0);
  if (number > static_cast<int>(last))
    throw UnknownValue(fmt::format("{}: there is no kind {}", name, number));
  return static_cast<Enum>(number);
}

Task task_from(const json& args, const char* name) {
  if (!args.contains(name)) return {};
  const json& task = args[name];
  return {one_of(task.at(0), Task::Kind::kTurn, name), whole(task.at(1), name, 0),
          whole(task.at(2), name, std::uint64_t{0})};
}

MemberSpan span_from(const json& event) {
  const json& args = event.at("args");
  const Seconds begin = number(event.at("ts"), "ts") * kSecondsPerMicrosecond;
  const Seconds length = number(event.at("dur"), "dur") * kSecondsPerMicrosecond;
  if (length < 0) throw odd("dur", event["dur"]);
  return {whole(args.at("rank"), "rank", 0),
          {.lane = lane_of_track(whole(event.at("tid"), "tid", 0)),
           .name = event.at("name"),
           .begin = begin,
           .end = begin + length,
           .bytes = whole_or(args, "bytes", std::uint64_t{0}),
           .peer = whole_or(args, "peer", -1),
           .iteration = whole_or(args, "iteration", -1),
           .phase = args.value("phase", ""),
           .position = whole_or(args, "position", -1),
           .order = whole_or(args, "order", std::int64_t{-1}),
           .message = whole_or(args, "message", std::uint64_t{0}),
           .time = {.latency = seconds(args, "latency", 0),
                    .fixed = seconds(args, "fixed", 0),
                    .reduce = seconds(args, "reduce", 0),
                    .alone = seconds(args, "alone", -1)},
           .unasked = args.value("unasked", false),
           .tag = whole_or(args, "tag", -1),
           .from_any = args.value("from_any", false),
           .task = task_from(args, "task"),
           .turn = {.position = whole_or(args, "asked_position", -1),
                    .priority = whole_or(args, "priority", 0),
                    .order = whole_or(args, "asked_order", std::int64_t{-1}),
                    .task = task_from(args, "asked_task")},
           .round = {.collective = whole_or(args, "collective", std::uint64_t{0}),
                     .number = whole_or(args, "round", -1),
                     .slice = whole_or(args, "slice", 0)}}};
}

std::vector<std::string> links_from(const json& names, const TracedNetwork& network) {
  for (const json& name : names)
    if (!network.links.contains(name.get<std::string>()))
      throw UnknownValue(fmt::format("routes: there is no link {}", name.dump()));
  return names;
}

TracedNetwork network_from(const json& environment) {
  TracedNetwork network;
  if (!environment.contains("network")) return network;
  const json& found = environment["network"];
  if (!found.is_object()) throw odd("network", found);
  if (!found.contains("routes")) return network;
  network.hosts = found.at("hosts");
  network.links = found.at("links");
  for (const auto& [link, bytes_per_s] : network.links) {
    number(bytes_per_s, "links");
    if (bytes_per_s <= 0)
      throw UnknownValue(fmt::format("links: {} can't carry {} bytes/s", link, bytes_per_s));
  }
  if (!found["routes"].is_array()) throw odd("routes", found["routes"]);
  for (const json& route : found["routes"])
    network.routes[{whole(route.at(0), "routes", 0), whole(route.at(1), "routes", 0)}] = {
        links_from(route.at(2), network), route.size() > 3 ? number(route[3], "routes") : 0};
  return network;
}

/// What is shown besides events goes by these.
json scenario_from(const json& point) {
  const json& scenario = point.at("scenario");
  whole(scenario.at("workers"), "workers", 1);
  if (scenario.contains("name")) scenario["name"].get<std::string>();
  return scenario;
}

int recorded_workers(int workers, const json& environment) {
  if (!environment.contains("recorded_workers")) return workers;
  const int recorded = whole(environment["recorded_workers"], "recorded_workers", 1);
  if (recorded > workers) throw odd("recorded_workers", recorded);
  return recorded;
}

/// Workers and servers.
int members_of(const TracedPoint& point) {
  const json algorithm = point.scenario.value("algorithm", json::object());
  const int servers = algorithm.contains("servers") ? whole(algorithm["servers"], "servers", 0) : 0;
  return point.workers + servers;
}

/// Of a result without one, which is older than formats are, all is known.
void require_known_format(const std::filesystem::path& file, const json& run) {
  if (!run.contains("format")) return;
  const json& format = run["format"];
  if (!format.is_number_unsigned())
    throw InputError(fmt::format("{}: format is {}, but has to be a whole number", file.string(),
                                 format.dump()));
  if (format.get<std::uint64_t>() > kResultFormat)
    throw InputError(fmt::format(
        "{}: this result has format {}, but this tandem reads none newer than {}; take a newer "
        "tandem, or make the result again",
        file.string(), format.dump(), kResultFormat));
}

void read_as_written(const std::filesystem::path& file, const std::function<void()>& read) {
  try {
    read();
  } catch (const json::exception& error) {
    throw not_as_written(file, reason_of(error));
  } catch (const UnknownValue& error) {
    throw not_as_written(file, error.what());
  }
}

json points_of(const std::filesystem::path& result) {
  const std::filesystem::path file = result / "run.json";
  const json run = read_json(file);
  require_known_format(file, run);
  if (!run.is_object() || !run.contains("points") || !run["points"].is_array() ||
      run["points"].empty())
    throw InputError(fmt::format("{}: has no points, as a result's has", file.string()));
  return run["points"];
}

}  // namespace

InputError not_as_written(const std::filesystem::path& file, std::string_view reason) {
  return InputError(fmt::format("{}: not as this tandem writes it; make the result again ({})",
                                file.string(), reason));
}

TracedPoint traced_point(const PointResult& result) {
  TracedPoint point{.world = result.summary.world,
                    .scenario = to_json(result.scenario),
                    .workers = result.scenario.workers,
                    .network = network_from(result.environment),
                    .spans = {}};
  for (const MemberResult& member : result.members)
    for (const Span& span : member.spans) point.spans.push_back({member.rank, span});
  return point;
}

std::size_t count_points(const std::filesystem::path& result) {
  return points_of(result).size();
}

TracedPoint read_traced_point(const std::filesystem::path& result, std::size_t index) {
  const json point = points_of(result).at(index);
  TracedPoint read;
  int members = 0;
  read_as_written(result / "run.json", [&] {
    read.scenario = scenario_from(point);
    const json environment = point.value("environment", json::object());
    if (!environment.is_object()) throw odd("environment", environment);
    read.world = environment.contains("executor") ? "simulated" : "real";
    read.workers = recorded_workers(read.scenario["workers"], environment);
    read.network = network_from(environment);
    members = members_of(read);
  });
  const std::filesystem::path file = result / "trace.json";
  const json trace = read_json(file);
  read_as_written(file, [&] {
    for (const json& event : trace.at("traceEvents")) {
      if (event.value("ph", json()) != "X") continue;
      if (whole(event.at("args").at("point"), "point", std::size_t{0}) != index) continue;
      read.spans.push_back(span_from(event));
      if (read.spans.back().rank >= members) throw odd("rank", event["args"]["rank"]);
    }
  });
  if (read.spans.empty())
    throw InputError(fmt::format("{}: shows nothing of point {}", file.string(), index + 1));
  return read;
}

}  // namespace tandem
