#include "sim/faults/background_traffic.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/base/error.h"
#include "sim/faults/named_host.h"

namespace tandem {
namespace {

constexpr double kEndless = 1e17;  // bytes: above what any simulation moves, and exact enough
constexpr Seconds kLong = 1e8;     // longer than any job, of a flow with a rate
constexpr std::uint64_t kStreams = 1ULL << 40;  // of random numbers, apart from those of ranks

}  // namespace

TrafficEnds traffic_ends(const Engine& engine, const TrafficSpec& traffic) {
  const TrafficEnds ends{host_called(engine, traffic.source, "faults.traffic.source"),
                         host_called(engine, traffic.destination, "faults.traffic.destination")};
  if (ends.source == ends.destination)
    throw InputError(fmt::format(
        "faults.traffic: source and destination are both '{}', but have to be two hosts",
        traffic.source));
  return ends;
}

BackgroundTraffic::BackgroundTraffic(const Engine& engine, const std::vector<TrafficSpec>& specs,
                                     std::uint64_t seed, LinkLoads& loads)
    : specs_(specs), loads_(loads) {
  for (std::size_t i = 0; i < specs.size(); ++i) {
    ends_.push_back(traffic_ends(engine, specs[i]));
    const TrafficEnds& ends = ends_.back();
    links_.push_back(loads.numbers_of(engine.route(*ends.source, *ends.destination).links));
    simgrid_compat::add_actor("traffic", ends.source, [this, i, seed] {
      run(i, RandomStream(seed, kStreams + i));
    })->daemonize();
  }
}

void BackgroundTraffic::run(std::size_t spec, RandomStream random) {
  const TrafficSpec& traffic = specs_[spec];
  if (traffic.window.from > 0) simgrid::s4u::this_actor::sleep_until(traffic.window.from);
  if (traffic.bytes) return send_messages(spec, *traffic.bytes, traffic.every, random);
  std::vector<Flow*> flows;
  const double rate = traffic.rate.value_or(0);
  for (int i = 0; i < traffic.flows.value_or(1); ++i)
    flows.push_back(&start(spec, rate > 0 ? std::min(rate * kLong, kEndless) : kEndless, rate));
  if (traffic.window.until == kForever) return;
  simgrid::s4u::this_actor::sleep_until(traffic.window.until);
  for (Flow* flow : flows) {
    end(*flow, flow->comm->get_remaining());
    flow->comm->cancel();
  }
}

void BackgroundTraffic::send_messages(std::size_t spec, double bytes, Seconds every,
                                      RandomStream random) {
  const TrafficSpec& traffic = specs_[spec];
  const auto gap = [&] {
    return traffic.poisson ? -std::log(random.open_uniform()) * every : every;
  };
  if (traffic.poisson) simgrid::s4u::this_actor::sleep_for(gap());
  while (simgrid::s4u::Engine::get_clock() < traffic.window.until) {
    start(spec, bytes);
    simgrid::s4u::this_actor::sleep_for(gap());
  }
}

BackgroundTraffic::Flow& BackgroundTraffic::start(std::size_t spec, double bytes, double rate) {
  auto free = std::ranges::find_if(flows_, &Flow::is_over);
  if (free == flows_.end()) free = flows_.emplace(flows_.end());
  free->traffic = this;
  free->spec = spec;
  free->bytes = bytes;
  free->begin = simgrid::s4u::Engine::get_clock();
  free->is_over = false;
  free->comm = simgrid_compat::start_transfer(ends_[spec].source, ends_[spec].destination,
                                              {static_cast<std::size_t>(bytes), 0, rate}, &*free);
  return *free;
}

void BackgroundTraffic::end(Flow& flow, double remaining) {
  if (flow.is_over) return;
  flow.is_over = true;
  loads_.add(links_[flow.spec], flow.begin, simgrid::s4u::Engine::get_clock(),
             flow.bytes - remaining);
}

void BackgroundTraffic::finish() {
  for (Flow& flow : flows_)
    if (!flow.is_over) end(flow, flow.comm->get_remaining());
}

}  // namespace tandem
