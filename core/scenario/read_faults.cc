#include <fmt/format.h>

#include <cmath>

#include "core/base/units.h"
#include "core/scenario/reader.h"
#include "core/scenario/specs.h"

namespace tandem {
namespace {

constexpr int kMostRepeats = 1000, kMostFlows = 1000;
constexpr double kMostBytes = 1e15;
// Beyond these the mean of a run's draws is seldom near that of all, which is 1.
constexpr double kLargestSigma = 2, kSmallestShape = 0.3;

/// A time of at least 0 with its unit.
Seconds read_time(const Value& value, const std::string& name) {
  const auto time =
      value.kind == Value::Kind::kScalar ? parse_seconds(value.scalar) : std::optional<double>();
  if (!time)
    fail(value.where, fmt::format("{} is {}, but has to be a time of at least 0 with its unit, "
                                  "such as 5 s",
                                  name, describe(value)));
  require_possible(value, name, *time, "s");
  return *time;
}

/// Whether it is written as a number without a unit.
bool is_count(const Value& value) {
  return value.kind == Value::Kind::kScalar && !value.scalar.empty() &&
         value.scalar.find_first_not_of("0123456789") == std::string::npos;
}

double read_moment(const Value& value, const std::string& name, bool in_iterations) {
  if (in_iterations) return read_int(value, name, 0);
  return read_time(value, name);
}

enum class Counted { kSeconds, kSecondsOrIterations };

FaultWindow read_window(const MapReader& map, Counted counted) {
  FaultWindow window;
  const Value* from = map.find("from");
  const Value* until = map.find("until");
  const Value* first = from ? from : until;
  window.in_iterations = counted == Counted::kSecondsOrIterations && first && is_count(*first);
  if (from) window.from = read_moment(*from, map.dotted("from"), window.in_iterations);
  if (until) window.until = read_moment(*until, map.dotted("until"), window.in_iterations);
  if (window.until <= window.from)
    fail(until->where, fmt::format("{} is {}, but has to be after {}", map.dotted("until"),
                                   describe(*until), map.dotted("from")));
  return window;
}

FaultTarget read_target(const MapReader& map) {
  FaultTarget target;
  const Value* host = map.find("host");
  const Value* rank = map.find("rank");
  if ((host == nullptr) == (rank == nullptr))
    fail(rank ? rank->where : map.where(),
         fmt::format("give {} or {}, one of the two", map.dotted("host"), map.dotted("rank")));
  if (host) target.host = read_string(*host, map.dotted("host"));
  if (rank) target.rank = read_int(*rank, map.dotted("rank"), 0);
  return target;
}

double read_factor(const Value& value, const std::string& name) {
  constexpr double kMostTimes = 1e6;
  return read_within(value, name, 1 / kMostTimes, kMostTimes);
}

SlowSpec read_slow(const Value& value) {
  const MapReader map(value, "faults.slow", {"host", "rank", "factor", "from", "until"});
  return {.target = read_target(map),
          .factor = read_factor(map.require("factor", "2"), map.dotted("factor")),
          .window = read_window(map, Counted::kSecondsOrIterations)};
}

const Value& parameter_of(const MapReader& map, const std::string& distribution,
                          const std::string& key, const std::string& other) {
  if (const Value* wrong = map.find(other))
    fail(wrong->where,
         fmt::format("{} is no parameter of {}; leave it out", map.dotted(other), distribution));
  return map.require(key, key == "sigma" ? "0.1" : "5");
}

NoiseSpec read_noise(const Value& value) {
  const MapReader map(value, "faults.compute", {"distribution", "sigma", "shape", "each"});
  NoiseSpec noise;
  noise.distribution = read_choice(map.require("distribution", "lognormal"), "distribution",
                                   {"lognormal", "weibull"});
  if (noise.distribution == "lognormal") {
    noise.sigma = read_within(parameter_of(map, "lognormal", "sigma", "shape"), map.dotted("sigma"),
                              1e-6, kLargestSigma);
  } else {
    noise.shape = read_within(parameter_of(map, "weibull", "shape", "sigma"), map.dotted("shape"),
                              kSmallestShape, 1e6);
  }
  if (const Value* each = map.find("each"))
    noise.each_kernel = read_choice(*each, "word", {"iteration", "kernel"}) == "kernel";
  return noise;
}

LinkFaultSpec read_link(const Value& value) {
  const MapReader map(value, "faults.links",
                      {"link", "bandwidth_factor", "latency_factor", "from", "until"});
  LinkFaultSpec fault;
  fault.link = read_string(map.require("link", "backbone"), map.dotted("link"));
  const Value* bandwidth = map.find("bandwidth_factor");
  const Value* latency = map.find("latency_factor");
  if (!bandwidth && !latency)
    fail(map.where(), fmt::format("{} is missing; give one, such as 'bandwidth_factor: 0.5', or "
                                  "latency_factor",
                                  map.dotted("bandwidth_factor")));
  if (bandwidth) fault.bandwidth_factor = read_factor(*bandwidth, map.dotted("bandwidth_factor"));
  if (latency) fault.latency_factor = read_factor(*latency, map.dotted("latency_factor"));
  fault.window = read_window(map, Counted::kSeconds);
  return fault;
}

double read_rate(const Value& value, const std::string& name) {
  const auto rate =
      value.kind == Value::Kind::kScalar ? parse_bandwidth(value.scalar) : std::optional<double>();
  if (!rate || *rate <= 0)
    fail(value.where, fmt::format("{} is {}, but has to be a bandwidth above 0 with its unit, such "
                                  "as 1 Gbit/s",
                                  name, describe(value)));
  require_possible(value, name, *rate, "B/s");
  return *rate;
}

TrafficSpec read_traffic(const Value& value) {
  const MapReader map(
      value, "faults.traffic",
      {"source", "destination", "rate", "flows", "bytes", "every", "arrivals", "from", "until"});
  TrafficSpec traffic;
  traffic.source = read_string(map.require("source", "node-0"), map.dotted("source"));
  traffic.destination =
      read_string(map.require("destination", "node-1"), map.dotted("destination"));
  const Value* rate = map.find("rate");
  const Value* flows = map.find("flows");
  const Value* bytes = map.find("bytes");
  if ((rate != nullptr) + (flows != nullptr) + (bytes != nullptr) != 1)
    fail(map.where(),
         "faults.traffic takes one of rate (such as 1 Gbit/s), flows (such as 2) and "
         "bytes (such as 10 MB, with every: 50 ms)");
  if (rate) traffic.rate = read_rate(*rate, map.dotted("rate"));
  if (flows) traffic.flows = read_limited(*flows, map.dotted("flows"), 1, kMostFlows);
  if (bytes) {
    traffic.bytes = read_bytes(*bytes, map.dotted("bytes"));
    if (*traffic.bytes > kMostBytes)
      fail(bytes->where, fmt::format("{} is {}, but at most 1000 TB are possible",
                                     map.dotted("bytes"), describe(*bytes)));
    const Value& every = map.require("every", "50 ms");
    traffic.every = read_seconds(every, map.dotted("every"));
    if (!std::isfinite(traffic.every))
      fail(every.where, fmt::format("{} is {}, but has to have an end; give flows or a later from",
                                    map.dotted("every"), describe(every)));
  }
  if (const Value* arrivals = map.find("arrivals"))
    traffic.poisson = read_choice(*arrivals, "word", {"regular", "poisson"}) == "poisson";
  for (const char* key : {"every", "arrivals"}) {
    if (!bytes && map.find(key))
      fail(map.find(key)->where, fmt::format("{} belongs to bytes; leave it out", map.dotted(key)));
  }
  traffic.window = read_window(map, Counted::kSeconds);
  return traffic;
}

FailSpec read_fail(const Value& value) {
  const MapReader map(value, "faults.fail", {"host", "rank", "at", "back", "kind"});
  FailSpec fault{.target = read_target(map),
                 .at = read_time(map.require("at", "10 s"), map.dotted("at")),
                 .back = {}};
  if (const Value* back = map.find("back")) {
    fault.back = read_time(*back, map.dotted("back"));
    if (*fault.back <= fault.at)
      fail(back->where, fmt::format("{} is {}, but has to be after {}", map.dotted("back"),
                                    describe(*back), map.dotted("at")));
  }
  if (const Value* kind = map.find("kind"))
    fault.is_partition = read_choice(*kind, "kind", {"crash", "partition"}) == "partition";
  return fault;
}

RecoverySpec read_recovery(const Value& value) {
  const MapReader map(value, "faults.recovery",
                      {"checkpoint_every", "write", "detection", "restart", "read", "min_workers"});
  RecoverySpec recovery;
  if (const Value* every = map.find("checkpoint_every"))
    recovery.checkpoint_every = read_int(*every, map.dotted("checkpoint_every"), 1);
  for (const auto& [key, time] : {std::pair("write", &recovery.write),
                                  {"detection", &recovery.detection},
                                  {"restart", &recovery.restart},
                                  {"read", &recovery.read}}) {
    if (const Value* given = map.find(key)) *time = read_time(*given, map.dotted(key));
  }
  if (const Value* least = map.find("min_workers"))
    recovery.min_workers = read_int(*least, map.dotted("min_workers"), 1);
  return recovery;
}

template <typename Read>
auto read_list(const MapReader& map, const char* key, const Read& read) {
  std::vector<decltype(read(Value()))> list;
  const Value* value = map.find(key);
  if (value == nullptr) return list;
  if (value->kind != Value::Kind::kList)
    fail(value->where,
         fmt::format("{} is {}, but has to be a list of maps", map.dotted(key), describe(*value)));
  for (const Value& item : value->items) list.push_back(read(item));
  return list;
}

}  // namespace

FaultsSpec read_faults(const Value& value) {
  const MapReader map(value, "faults",
                      {"slow", "compute", "links", "traffic", "fail", "recovery", "repeats"});
  FaultsSpec faults;
  faults.slow = read_list(map, "slow", read_slow);
  faults.links = read_list(map, "links", read_link);
  faults.traffic = read_list(map, "traffic", read_traffic);
  faults.fail = read_list(map, "fail", read_fail);
  if (const Value* noise = map.find("compute")) faults.compute = read_noise(*noise);
  if (const Value* recovery = map.find("recovery")) faults.recovery = read_recovery(*recovery);
  if (const Value* repeats = map.find("repeats"))
    faults.repeats = read_limited(*repeats, "faults.repeats", 1, kMostRepeats);
  return faults;
}

void check_recovery(const Value& value, const Scenario& scenario) {
  const RecoverySpec& recovery = scenario.faults.recovery;
  const Value* given = value.find("recovery");
  if (given == nullptr) return;
  const Value* every = given->find("checkpoint_every");
  if (const Value* write = given->find("write");
      write && !every && (!scenario.checkpoint || scenario.faults.fail.empty()))
    fail(write->where,
         "faults.recovery.write is the cost of a checkpoint, and none is written; give "
         "checkpoint_every too");
  if (every && scenario.checkpoint && scenario.checkpoint->every != *recovery.checkpoint_every)
    fail(every->where,
         fmt::format("faults.recovery.checkpoint_every is {}, but checkpoint.every is {}; leave "
                     "one of the two out",
                     *recovery.checkpoint_every, scenario.checkpoint->every));
}

}  // namespace tandem
