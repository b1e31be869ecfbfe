#include "sim/devices.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <set>

#include "core/base/atomic_file.h"
#include "core/base/device_name.h"
#include "core/base/error.h"
#include "core/base/paths.h"
#include "core/model/analytic_times.h"
#include "core/strategies/memory_use.h"

namespace tandem {
namespace {

double speed_of(const Engine& engine, const simgrid::s4u::Host& host) {
  const char* text = host.get_property("speed");
  if (text == nullptr) return 1;
  char* end = nullptr;
  const double speed = std::strtod(text, &end);
  if (end == text || *end != '\0' || !std::isfinite(speed) || speed <= 0) {
    throw InputError(
        fmt::format("platform {}: host {}: property speed is '{}', but has to be a "
                    "positive factor, such as 0.5 for half as fast",
                    engine.platform().string(), host.get_cname(), text));
  }
  return speed;
}

/// Empty where the host shares none.
std::string board_of(const Engine& engine, const simgrid::s4u::Host& host) {
  const char* board = host.get_property("board");
  if (board == nullptr) return {};
  if (*board == '\0')
    throw InputError(
        fmt::format("platform {}: host {}: property board is empty, but has to name "
                    "the board; leave it out for a host that shares none",
                    engine.platform().string(), host.get_cname()));
  return board;
}

std::filesystem::path profile_file(const Engine& engine, const std::string& name) {
  try {
    return find_device(engine.platform(), name);
  } catch (const InputError& error) {
    throw InputError(
        fmt::format("platform {}: device: {}", engine.platform().string(), error.what()));
  }
}

/// How the times of one device vary: as the scenario says, or as iterations of its profile do.
struct Variation {
  Spread spread;
  bool each_kernel = false;  ///< drawn for each kernel; else for each iteration
};

Variation variation_of(const std::optional<NoiseSpec>& noise, const std::string& device,
                       const DeviceProfile& profile) {
  if (!noise) return {is_paced(device) ? Spread{} : profile.iteration_spread};
  return {noise->distribution == "weibull" ? Spread::weibull(noise->shape)
                                           : Spread::log_normal(noise->sigma),
          noise->each_kernel};
}

/// Times by one profile, each iteration or kernel longer or shorter by what is drawn for it. A
/// measured distribution is drawn from evenly, for what it is held against are few iterations.
class SpreadTimes {
 public:
  SpreadTimes(std::shared_ptr<const KernelTimes> times, const Variation& variation, double speed,
              RandomStream random)
      : times_(std::move(times)), variation_(variation), speed_(speed), random_(random) {}

  Seconds operator()(const Kernel& kernel, int iteration) {
    const bool begins = iteration >= 0 && iteration != iteration_;
    if (variation_.each_kernel || begins) factor_ = draw();
    if (begins) iteration_ = iteration;
    return (*times_)(kernel)*factor_ / speed_;
  }

 private:
  double draw() {
    const Spread& spread = variation_.spread;
    const bool is_measured = !spread.quantiles().empty();
    return is_measured ? spread.at(shares_.next(random_)) : spread.draw(random_);
  }

  std::shared_ptr<const KernelTimes> times_;
  Variation variation_;
  double speed_;
  RandomStream random_;
  EvenShares shares_;
  double factor_ = 1;
  int iteration_ = -1;  ///< for which it was drawn
};

/// A paced worker's additions are its host's, so what a calibration found of that bounds them.
MemberDevice at_speed(const std::shared_ptr<const KernelTimes>& times, const Variation& variation,
                      RandomStream random, double speed, double memory_bytes,
                      double adding_bandwidth) {
  return {SpreadTimes(times, variation, speed, random),
          [times, speed, adding_bandwidth](std::size_t bytes) {
            return std::max(times->reduction(bytes) / speed,
                            static_cast<double>(bytes) / adding_bandwidth);
          },
          memory_bytes, !variation.spread.empty()};
}

std::string gigabytes(double bytes) {
  return fmt::format("{:.3g} GB", bytes / 1e9);
}

}  // namespace

std::vector<HostDevice> host_devices(const Engine& engine,
                                     const std::vector<simgrid::s4u::Host*>& hosts,
                                     const std::optional<std::string>& of_scenario) {
  if (of_scenario && is_paced(*of_scenario)) return {hosts.size(), {.name = *of_scenario}};
  // A host that has several members is one.
  std::map<std::string, std::set<const simgrid::s4u::Host*>> boards;
  for (const simgrid::s4u::Host* host : hosts) boards[board_of(engine, *host)].insert(host);
  boards.erase("");
  std::vector<HostDevice> devices;
  for (const simgrid::s4u::Host* host : hosts) {
    const char* named = host->get_property("device");
    if (named == nullptr && !of_scenario) {
      throw InputError(
          fmt::format("platform {}: host {} names no device; add <prop id=\"device\" "
                      "value=\"NAME\"/> to it, or "
                      "give --device NAME (scenario key: device)",
                      engine.platform().string(), host->get_cname()));
    }
    const auto board = boards.find(board_of(engine, *host));
    const bool shares_board = board != boards.end() && board->second.size() > 1;
    devices.push_back(
        {named != nullptr ? named : *of_scenario, speed_of(engine, *host), shares_board});
  }
  return devices;
}

std::vector<MemberDevice> member_devices(const Engine& engine,
                                         const std::vector<HostDevice>& devices,
                                         std::size_t workers, const LayerGraph& graph,
                                         int batch_size, std::uint64_t seed,
                                         const std::optional<NoiseSpec>& noise) {
  struct Known {
    std::shared_ptr<const KernelTimes> times;
    Variation variation;
    double memory_bytes = 0;
    double board_speed = 1;
  };
  std::map<std::string, Known> known;
  std::vector<MemberDevice> members;
  for (const HostDevice& device : devices) {
    Known& of_device = known[device.name];
    if (!of_device.times) {
      const DeviceProfile profile = DeviceProfile::load(profile_file(engine, device.name));
      of_device = {std::make_shared<const KernelTimes>(profile, graph, batch_size),
                   variation_of(noise, device.name, profile), profile.memory_bytes,
                   profile.board_speed};
    }
    const bool varies = members.size() < workers || of_device.variation.each_kernel;
    members.push_back(at_speed(of_device.times, varies ? of_device.variation : Variation{},
                               RandomStream(seed, members.size()),
                               device.speed * (device.shares_board ? of_device.board_speed : 1),
                               of_device.memory_bytes, engine.calibration().adding_bandwidth));
  }
  return members;
}

void require_memory(const Scenario& scenario, const WorkerMemory& memory,
                    const std::vector<HostDevice>& devices,
                    const std::vector<MemberDevice>& members) {
  const int workers =
      std::min(scenario.workers, static_cast<int>(members.size()) - scenario.algorithm.servers());
  for (int rank = 0; rank < workers; ++rank) {
    const MemoryUse& use = memory.of(rank);
    const double available = members[rank].memory_bytes;
    if (available == 0 || use.total() <= available) continue;
    throw InputError(fmt::format(
        "scenario {}: a worker needs {} (model states {}, layer groups in use {}, activations {}, "
        "buffers {}), but device {} of rank {} has {}: {} short; lower batch_size, or give "
        "algorithm zero a higher stage or more workers",
        scenario.name, gigabytes(use.total()), gigabytes(use.model_states()),
        gigabytes(use.working), gigabytes(use.activations), gigabytes(use.buffers),
        devices[rank].name, rank, gigabytes(available), gigabytes(use.total() - available)));
  }
}

void require_peaks(const Scenario& scenario, const std::vector<MemberResult>& results,
                   const std::vector<HostDevice>& devices,
                   const std::vector<MemberDevice>& members) {
  for (std::size_t i = 0; i < results.size(); ++i) {
    const MemberResult& result = results[i];
    const double memory = members[i].memory_bytes;
    const auto peak =
        static_cast<double>(result.is_server ? result.held_peak_bytes : result.peak_memory_bytes);
    if (memory == 0 || peak <= memory) continue;
    throw InputError(fmt::format(
        "scenario {}: rank {}, a {}, needs {} at its peak, but its device {} has {}: {} "
        "short; take more servers, or an algorithm that keeps less",
        scenario.name, result.rank, result.is_server ? "server" : "worker", gigabytes(peak),
        devices[i].name, gigabytes(memory), gigabytes(peak - memory)));
  }
}

std::optional<std::string> device_warning(const Engine& engine,
                                          const std::vector<HostDevice>& devices,
                                          const LayerGraph& graph, int batch_size) {
  std::set<std::string> warnings;
  std::set<std::string> names;
  for (const HostDevice& device : devices) names.insert(device.name);
  for (const std::string& name : names) {
    const DeviceProfile profile = DeviceProfile::load(profile_file(engine, name));
    if (auto warning = scale_warning(profile, graph, batch_size))
      warnings.insert(std::move(*warning));
  }
  if (warnings.empty()) return std::nullopt;
  return fmt::format("{}", fmt::join(warnings, "; "));
}

std::map<std::string, std::string> profile_texts(const Engine& engine,
                                                 const std::vector<HostDevice>& devices) {
  std::map<std::string, std::string> texts;
  for (const HostDevice& device : devices) {
    if (!texts.contains(device.name)) {
      texts[device.name] = read_file(profile_file(engine, device.name));
    }
  }
  return texts;
}

bool alike(const std::vector<HostDevice>& devices) {
  return std::ranges::all_of(devices,
                             [&](const HostDevice& device) { return device == devices.front(); });
}

std::string device_label(const std::vector<HostDevice>& devices) {
  std::vector<std::string> names;
  std::string label;
  for (const HostDevice& device : devices) {
    if (std::ranges::find(names, device.name) != names.end()) continue;
    names.push_back(device.name);
    label += (label.empty() ? "" : "+") + device.name;
  }
  return label;
}

}  // namespace tandem
