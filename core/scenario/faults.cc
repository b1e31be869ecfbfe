#include "core/scenario/faults.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

namespace tandem {
namespace {

using nlohmann::json;

std::string seconds(Seconds time) {
  return fmt::format("{} s", time);
}

void add(json& value, const FaultTarget& target) {
  if (target.host) value["host"] = *target.host;
  if (target.rank) value["rank"] = *target.rank;
}

void add(json& value, const FaultWindow& window) {
  const auto moment = [&](double at) {
    return window.in_iterations ? json(static_cast<int>(at)) : json(seconds(at));
  };
  if (window.from > 0) value["from"] = moment(window.from);
  if (std::isfinite(window.until)) value["until"] = moment(window.until);
}

json to_json(const SlowSpec& slow) {
  json value = {{"factor", slow.factor}};
  add(value, slow.target);
  add(value, slow.window);
  return value;
}

json to_json(const NoiseSpec& noise) {
  json value = {{"distribution", noise.distribution},
                {"each", noise.each_kernel ? "kernel" : "iteration"}};
  if (noise.distribution == "lognormal") value["sigma"] = noise.sigma;
  if (noise.distribution == "weibull") value["shape"] = noise.shape;
  return value;
}

json to_json(const LinkFaultSpec& fault) {
  json value = {{"link", fault.link},
                {"bandwidth_factor", fault.bandwidth_factor},
                {"latency_factor", fault.latency_factor}};
  add(value, fault.window);
  return value;
}

json to_json(const TrafficSpec& traffic) {
  json value = {{"source", traffic.source}, {"destination", traffic.destination}};
  if (traffic.rate) value["rate"] = fmt::format("{} B/s", *traffic.rate);
  if (traffic.flows) value["flows"] = *traffic.flows;
  if (traffic.bytes) {
    value["bytes"] = fmt::format("{} B", *traffic.bytes);
    value["every"] = seconds(traffic.every);
    value["arrivals"] = traffic.poisson ? "poisson" : "regular";
  }
  add(value, traffic.window);
  return value;
}

json to_json(const FailSpec& fail) {
  json value = {{"at", seconds(fail.at)}};
  add(value, fail.target);
  if (fail.back) value["back"] = seconds(*fail.back);
  if (fail.is_partition) value["kind"] = "partition";
  return value;
}

json to_json(const RecoverySpec& recovery) {
  json value = {{"detection", seconds(recovery.detection)},
                {"restart", seconds(recovery.restart)},
                {"read", seconds(recovery.read)},
                {"min_workers", recovery.min_workers}};
  if (recovery.checkpoint_every) value["checkpoint_every"] = *recovery.checkpoint_every;
  if (recovery.write > 0) value["write"] = seconds(recovery.write);
  return value;
}

template <typename Spec>
void add_list(json& value, const char* key, const std::vector<Spec>& list) {
  for (const Spec& each : list) value[key].push_back(to_json(each));
}

}  // namespace

std::string FaultTarget::label() const {
  return host ? "host " + *host : fmt::format("rank {}", rank.value_or(0));
}

bool FaultsSpec::has_cause() const {
  return !slow.empty() || compute || !links.empty() || !traffic.empty() || !fail.empty() ||
         recovery != RecoverySpec{};
}

bool FaultsSpec::is_random() const {
  return compute || std::ranges::any_of(traffic, &TrafficSpec::poisson);
}

bool FaultsSpec::changes_in_time() const {
  return !traffic.empty() || std::ranges::any_of(slow, &FaultWindow::changes, &SlowSpec::window) ||
         std::ranges::any_of(links, &FaultWindow::changes, &LinkFaultSpec::window);
}

bool FaultsSpec::befalls_network() const {
  return !links.empty() || !traffic.empty() || std::ranges::any_of(fail, &FailSpec::is_partition);
}

bool FaultsSpec::names_platform() const {
  const auto names_host = [](const auto& fault) { return fault.target.host.has_value(); };
  return !links.empty() || !traffic.empty() || std::ranges::any_of(slow, names_host) ||
         std::ranges::any_of(fail, names_host);
}

json to_json(const FaultsSpec& faults) {
  json value = json::object();
  add_list(value, "slow", faults.slow);
  add_list(value, "links", faults.links);
  add_list(value, "traffic", faults.traffic);
  add_list(value, "fail", faults.fail);
  if (faults.compute) value["compute"] = to_json(*faults.compute);
  if (!faults.fail.empty() || faults.recovery != RecoverySpec{})
    value["recovery"] = to_json(faults.recovery);
  if (faults.repeats > 1) value["repeats"] = faults.repeats;
  return value;
}

}  // namespace tandem
