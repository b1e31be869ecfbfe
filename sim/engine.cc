#include "sim/engine.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <simgrid/kernel/routing/NetPoint.hpp>
#include <stdexcept>

#include "core/base/atomic_file.h"
#include "core/base/error.h"
#include "sim/abort_guard.h"
#include "sim/burst.h"
#include "sim/plain_words.h"
#include "sim/processor.h"

namespace tandem {
namespace {

namespace compat = simgrid_compat;

// Sanitizers can't follow hand-made stacks; SimGrid can run every actor in a thread instead.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr const char* kContexts = "thread";
#else
constexpr const char* kContexts = "raw";
#endif

// A network on the CPU needs more stack than a member that only models sizes. Memory is used only
// where a stack is touched.
const char* stack_kilobytes(Depth depth) {
  return depth == Depth::kPayload ? "8192" : "64";
}

/// Errors, what is wrong with the text of a platform, and not the report of a deadlock, which
/// Job::run() gives in its own words.
void silence_logs() {
  xbt_log_control_set("root.thresh:error");
  xbt_log_control_set("parse.thresh:warning");
  xbt_log_control_set("ker_engine.app:file:/dev/null ker_engine.add:0");
}

/// A file without a name, which SimGrid, that reads nothing else, can open by a path.
class MemoryFile {
 public:
  explicit MemoryFile(const std::string& text)
      : file_(memfd_create("tandem-platform", MFD_CLOEXEC)) {
    std::ofstream(path()) << text;
  }
  ~MemoryFile() { close(file_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  std::filesystem::path path() const { return fmt::format("/proc/self/fd/{}", file_); }

 private:
  int file_;
};

std::string first_line(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

/// SimGrid takes "25" for a latency to be 25 s, and says so in its log alone.
void refuse_figures_without_unit(const std::string& platform, AbortGuard& guard) {
  constexpr std::string_view kWarning = "Deprecated unit-less value ";
  const std::string log = guard.take();
  const std::size_t found = log.find(kWarning);
  if (found != std::string::npos)
    throw InputError(fmt::format("platform {}: a figure without its unit: {}", platform,
                                 first_line(log.substr(found + kWarning.size()))));
  std::cerr << log;
}

}  // namespace

std::vector<EngineSetting> engine_settings(Depth depth) {
  return {
      {"network/model", "CM02"},
      {"network/crosstraffic", "0"},
      {"network/weight-S", "0"},
      {"network/TCP-gamma", "1e30"},
      {"network/loopback-lat", "0"},
      {"network/loopback-bw", "1e15"},
      {"network/optim", "Lazy"},
      {"network/solver", "maxmin"},
      {"cpu/model", "Cas01"},
      {"cpu/optim", "Lazy"},
      {"cpu/solver", "maxmin"},
      {"maxmin/concurrency-limit", "-1"},
      {compat::kTimingPrecisionKey, fmt::format("{}", kTimingPrecision)},
      // With one of 1e-8 or finer, 3.32's solver crashes where many flows share several links.
      {compat::kWorkPrecisionKey, "1e-5"},
      {"contexts/factory", kContexts},
      {"contexts/nthreads", "1"},
      {"contexts/stack-size", stack_kilobytes(depth)},
      {"contexts/guard-size", "1"},
      {"debug/verbose-exit", "no"},
  };
}

Engine::Engine(const std::filesystem::path& platform, Depth depth)
    : platform_(platform), xml_(read_file(platform)), depth_(depth) {
  start();
  require_makeable_hosts();
  load(platform, 0);
}

Engine::Engine(const BuiltPlatform& platform, Depth depth)
    : platform_(platform.label), xml_(platform.xml), depth_(depth) {
  start();
  require_makeable_hosts();
  load(MemoryFile(xml_).path(), 0);
}

Engine::Engine(const BuiltPlatform& platform, Depth depth, const FlatCluster& cluster,
               std::size_t hosts)
    : platform_(platform.label), xml_(platform.xml), depth_(depth) {
  start();
  load(MemoryFile(cluster.small(hosts)).path(), cluster.hosts());
}

void Engine::start() {
  silence_logs();
  // The maker of contexts is made here, before any setting that follows.
  static char name[] = "tandem";
  static std::string contexts = fmt::format("--cfg=contexts/factory:{}", kContexts);
  char* arguments[] = {name, contexts.data(), nullptr};
  int count = 2;
  engine_ = std::make_unique<simgrid::s4u::Engine>(&count, arguments);
  for (const EngineSetting& setting : engine_settings(depth_)) {
    simgrid::s4u::Engine::set_config(fmt::format("{}:{}", setting.key, setting.value));
  }
}

void Engine::load(const std::filesystem::path& file, std::size_t host_count) {
  // get_all_hosts() sorts by name, node-10 before node-2, and newer versions announce hosts so too.
  using simgrid::kernel::routing::NetPoint;
  std::vector<std::string> names;
  const auto listening = NetPoint::on_creation.connect([&names](const NetPoint& point) {
    if (point.is_host()) names.push_back(point.get_name());
  });
  AbortGuard guard("platform " + platform_.string());
  try {
    engine_->load_platform(file.string());
    engine_->seal_platform();
  } catch (const std::exception& error) {
    refuse_figures_without_unit(platform_.string(), guard);
    const std::string said = first_line(error.what());
    const PlainWords words = in_plain_words(said);
    throw InputError(fmt::format("platform {}{}: {}{}", platform_.string(), words.line,
                                 words.message, words.advice));
  }
  refuse_figures_without_unit(platform_.string(), guard);
  NetPoint::on_creation.disconnect(listening);
  require_constant_latencies();
  for (const std::string& name : names) hosts_.push_back(engine_->host_by_name(name));
  host_count_ = std::max(host_count, hosts_.size());
  check_links();
  if (changes_in_time(xml_))
    for (simgrid::s4u::Link* link : links()) expect_changes(*link);
  load_calibration();
  set_network_factors();
  if (hosts_.empty()) {
    throw InputError(fmt::format("platform {}: has no host", platform_.string()));
  }
}

// SimGrid loses messages that wait for a latency when it changes: what they wait for never comes.
void Engine::require_constant_latencies() const {
  for (const auto& [mark, name] :
       {std::pair("latency_file=", "latency_file"), {"\"LATENCY\"", "trace of kind LATENCY"}}) {
    if (xml_.find(mark) == std::string::npos) continue;
    throw InputError(fmt::format(
        "platform {}: has a {}, with which SimGrid loses messages; give faults.links of a scenario "
        "with latency_factor, from and until instead",
        platform_.string(), name));
  }
}

// Each takes 2.6 kB and 11 us, needed or not.
void Engine::require_makeable_hosts() const {
  constexpr std::size_t kMostHosts = 1'000'000;  // as of a topology
  const std::size_t hosts = hosts_in_ranges(xml_);
  if (hosts > kMostHosts)
    throw InputError(
        fmt::format("platform {}: radical makes {} hosts, but at most {} are possible where they "
                    "are not all of one <cluster>",
                    platform_.string(), hosts, kMostHosts));
}

// SimGrid takes any figures, and gives nonsense for these.
void Engine::check_links() const {
  constexpr double kMost = 1e30;  // far beyond what there is
  for (const simgrid::s4u::Link* link : engine_->get_all_links()) {
    const auto refuse = [&](const char* what, double value, const char* right) {
      throw InputError(fmt::format("platform {}: link {}: {} is {}, but has to be {}{}",
                                   platform_.string(), link->get_cname(), what, value, right,
                                   value > kMost ? fmt::format(" and at most {:g}", kMost) : ""));
    };
    if (link->get_sharing_policy() == simgrid::s4u::Link::SharingPolicy::WIFI)
      throw InputError(
          fmt::format("platform {}: link {} is of Wi-Fi, whose rates depend on where "
                      "stations are; give links with a bandwidth",
                      platform_.string(), link->get_cname()));
    const double latency = link->get_latency(), bandwidth = link->get_bandwidth();
    if (!(latency >= 0 && latency <= kMost)) refuse("latency", latency, "at least 0 s");
    if (!(bandwidth > 0 && bandwidth <= kMost)) refuse("bandwidth", bandwidth, "above 0 B/s");
    try {
      burst_of(*link);  // here, where it can be said of which platform
    } catch (const InputError& error) {
      throw InputError(fmt::format("platform {}: {}", platform_.string(), error.what()));
    }
  }
}

void Engine::load_calibration() {
  const char* name = compat::outermost_zone(*engine_).get_property("calibration");
  if (name == nullptr) return;
  try {
    calibration_ = Calibration::load(platform_.parent_path() / name);
  } catch (const InputError& error) {
    throw InputError(fmt::format("platform {}: calibration: {}", platform_.string(), error.what()));
  }
  if (hosts_.size() < 2) return;
  const auto links = compat::route(hosts_[0], hosts_[1]).links;
  calibrated_link_ = {.latency = compat::latency_of(links),
                      .bandwidth = compat::bandwidth_of(links),
                      .burst = burst_of(links)};
  costs_ = calibration_.messages.beyond(calibrated_link_);
  leave_out_waits_for_wires();
}

// Of what was measured between the first host and the next one on its processor: what the wires
// between them did not let through at once waited for them, which says nothing of a processor.
void Engine::leave_out_waits_for_wires() {
  const std::string processor = processor_of(*hosts_.front());
  const auto other = std::find_if(hosts_.begin() + 1, hosts_.end(), [&](const auto* host) {
    return processor_of(*host) == processor;
  });
  if (processor.empty() || other == hosts_.end()) return;
  const double burst = burst_of(compat::route(hosts_.front(), *other).links);
  if (burst > 0)
    std::erase_if(calibration_.one_way_sharing, [burst](const MessageSample& sample) {
      return static_cast<double>(sample.bytes) > burst;
    });
}

// SimGrid gives flows shares in inverse proportion to their routes' latencies, but those that have
// none by the factor next to nothing.
constexpr Seconds kLeastLatency = 10 * kTimingPrecision;

// CM02 with factors: a flow takes latency factor * latency, and then at most bandwidth factor *
// bandwidth of its narrowest link. Without costs both are 1, and pinned to be.
void Engine::set_network_factors() {
  const MessageCosts& costs = costs_;
  compat::watch_beginnings(kTimingPrecision);
  compat::set_network_factors(
      *engine_,
      [&costs](const compat::Message& message, const std::vector<simgrid::s4u::Link*>& links) {
        const Seconds latency = compat::undisturbed_latency_of(links);
        const Seconds all = compat::latency_of(links) + costs.latency(message.bytes);
        return latency > 0 ? std::max(all - message.spent, kLeastLatency) / latency : 1.0;
      },
      [&costs](const compat::Message& message, const std::vector<simgrid::s4u::Link*>& links) {
        if (message.rate > 0) return 1.0;
        return 1 / (1 + compat::bandwidth_of(links) * costs.seconds_per_byte(message.bytes));
      });
}

std::vector<simgrid::s4u::Link*> Engine::links() const {
  std::vector<simgrid::s4u::Link*> links = engine_->get_all_links();
  std::erase_if(links, [](const auto* link) { return link->get_name() == "__loopback__"; });
  return links;
}

void Engine::require_hosts(std::size_t members, const std::vector<int>& hosts) const {
  const std::size_t needed = hosts.empty() ? members : std::ranges::max(hosts) + 1UL;
  if (needed <= host_count_) return;
  throw InputError(
      fmt::format("platform {}: has {} host{}, but the scenario has {} members (workers and "
                  "servers) on {} hosts; use fewer members or a larger platform",
                  platform_.string(), host_count_, host_count_ == 1 ? "" : "s", members, needed));
}

std::vector<simgrid::s4u::Host*> Engine::place(std::size_t members,
                                               const std::vector<int>& hosts) const {
  require_hosts(members, hosts);
  std::vector<simgrid::s4u::Host*> placed;
  for (std::size_t i = 0; i < members; ++i) placed.push_back(hosts_[hosts.empty() ? i : hosts[i]]);
  return placed;
}

compat::Route Engine::route_if_any(const simgrid::s4u::Host& from,
                                   const simgrid::s4u::Host& to) const {
  try {
    return compat::route(&from, &to);
  } catch (const std::exception& error) {
    throw InputError(fmt::format("platform {}: {}", platform_.string(), first_line(error.what())));
  }
}

compat::Route Engine::route(const simgrid::s4u::Host& from, const simgrid::s4u::Host& to) const {
  const compat::Route route = route_if_any(from, to);
  if (route.links.empty() && route.latency <= 0)
    throw InputError(fmt::format("platform {}: has no route from {} to {}", platform_.string(),
                                 from.get_name(), to.get_name()));
  return route;
}

void Engine::expect_actors(std::size_t actors) {
  constexpr std::size_t kMostGuarded = 16'384;
  // Their stacks would be freed otherwise than they were allocated.
  if (simgrid::s4u::Engine::get_instance()->get_actor_count() > 0)
    throw std::logic_error("actors are expected after some were started");
  if (actors > kMostGuarded) simgrid::s4u::Engine::set_config("contexts/guard-size:0");
}

void Engine::scale_links(double bandwidth_factor, double latency_factor) {
  if (bandwidth_factor == 1 && latency_factor == 1) return;
  for (simgrid::s4u::Link* link : engine_->get_all_links()) {
    scale_bandwidth(*link, bandwidth_factor);
    link->set_latency(link->get_latency() * latency_factor);
  }
}

void Engine::run() {
  engine_->run();
}

nlohmann::json Engine::describe() const {
  nlohmann::json settings = nlohmann::json::object();
  for (const EngineSetting& setting : engine_settings(depth_)) {
    settings[setting.key] = setting.value;
  }
  for (const char* factor : {"network/latency-factor", "network/bandwidth-factor"})
    settings[factor] = costs_.segments().empty() ? "1" : "by the calibration";
  nlohmann::json description = {{"simgrid", compat::version()}, {"settings", settings}};
  if (!calibration_.source.empty()) description["calibration"] = calibration_.text();
  return description;
}

}  // namespace tandem
