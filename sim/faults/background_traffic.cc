#include "sim/faults/background_traffic.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/error.h"
#include "sim/abort_guard.h"
#include "sim/faults/named_host.h"

namespace tandem {
namespace {

constexpr double kEndless = 1e17;  // bytes: above what any simulation moves, and exact enough
constexpr Seconds kLong = 1e8;     // longer than any job, of a flow with a rate

}  // namespace

TrafficEnds traffic_ends(const Engine& engine, const TrafficSpec& traffic) {
  TrafficEnds ends{
      .source = host_called(engine, traffic.source, "faults.traffic.source"),
      .destination = host_called(engine, traffic.destination, "faults.traffic.destination"),
      .way = {}};
  if (ends.source == ends.destination)
    throw InputError(fmt::format(
        "faults.traffic: source and destination are both '{}', but have to be two hosts",
        traffic.source));
  const AbortGuard guard("platform " + engine.platform().string());
  try {
    ends.way = engine.route(*ends.source, *ends.destination).links;
  } catch (const InputError& error) {
    throw InputError(fmt::format("faults.traffic: {}", error.what()));
  }
  return ends;
}

BackgroundTraffic::BackgroundTraffic(const Engine& engine, const std::vector<TrafficSpec>& specs,
                                     std::uint64_t seed, Seconds since, LinkLoads& loads,
                                     TokenBuckets& shapers)
    : specs_(specs), since_(since), loads_(loads), shapers_(shapers) {
  for (std::size_t i = 0; i < specs.size(); ++i) {
    ends_.push_back(traffic_ends(engine, specs[i]));
    const TrafficEnds& ends = ends_.back();
    links_.push_back(loads.numbers_of(ends.way));
    idle_.push_back(simgrid::s4u::Semaphore::create(1));
    simgrid_compat::add_actor("traffic", ends.source, [this, i, seed] {
      run(i, seed);
    })->daemonize();
  }
}

void BackgroundTraffic::run(std::size_t spec, std::uint64_t seed) {
  const TrafficSpec& traffic = specs_[spec];
  if (traffic.window.until <= since_) return;
  sleep_until(traffic.window.from);
  if (traffic.bytes)
    return send_messages(spec, *traffic.bytes, Arrivals(traffic, seed, spec, since_));
  std::vector<Flow*> flows;
  const double rate = traffic.rate.value_or(0);
  for (int i = 0; i < traffic.flows.value_or(1); ++i)
    flows.push_back(&start(spec, rate > 0 ? std::min(rate * kLong, kEndless) : kEndless, rate));
  if (traffic.window.until == kForever) return;
  sleep_until(traffic.window.until);
  for (Flow* flow : flows) flow->stop();
}

void BackgroundTraffic::sleep_until(Seconds time) const {
  if (time > since_) simgrid::s4u::this_actor::sleep_until(time - since_);
}

void BackgroundTraffic::send_messages(std::size_t spec, double bytes, Arrivals arrivals) {
  while (true) {
    sleep_until(arrivals.next());
    idle_[spec]->acquire();
    if (since_ + simgrid::s4u::Engine::get_clock() >= specs_[spec].window.until) return;
    start(spec, bytes);
  }
}

BackgroundTraffic::Flow& BackgroundTraffic::start(std::size_t spec, double bytes, double rate) {
  auto free = std::ranges::find_if(
      flows_, [](const Flow& flow) { return flow.is_over && !flow.is_stopped; });
  if (free == flows_.end()) free = flows_.emplace(flows_.end());
  free->traffic = this;
  free->spec = spec;
  free->bytes = bytes;
  free->rate = rate;
  free->begin = simgrid::s4u::Engine::get_clock();
  free->is_over = false;
  shapers_.others_begin(ends_[spec].way, rate, free->begin);
  free->comm = simgrid_compat::start_transfer(ends_[spec].source, ends_[spec].destination,
                                              {static_cast<std::size_t>(bytes), 0, rate}, &*free);
  return *free;
}

void BackgroundTraffic::Flow::ended() {
  if (is_over) return;
  is_over = true;
  traffic->shapers_.others_end(traffic->ends_[spec].way, rate, simgrid::s4u::Engine::get_clock());
  traffic->loads_.add_of_others(traffic->links_[spec], begin, simgrid::s4u::Engine::get_clock(),
                                bytes - cut);
  traffic->idle_[spec]->release();
}

void BackgroundTraffic::Flow::stop() {
  if (is_over) return;
  is_stopped = true;
  cut = comm->get_remaining();
  comm->cancel();
}

// In the kernel: who calls this may be an actor that ends, which must not wait for anything.
void BackgroundTraffic::finish() {
  simgrid_compat::at(simgrid::s4u::Engine::get_clock(), [this] {
    for (Flow& flow : flows_) flow.stop();
  });
}

}  // namespace tandem
