#include "real/elastic/places.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <deque>
#include <numeric>

#include "core/base/atomic_file.h"
#include "core/base/error.h"
#include "core/base/interrupt.h"
#include "core/command/hostfile.h"
#include "core/command/naps.h"
#include "core/command/process.h"
#include "real/lab/lab.h"

namespace tandem::elastic {
namespace {

constexpr std::chrono::seconds kAnswerIn{5};  // for a host to start a process

}  // namespace

Places::Places(LaunchOptions launch, const Scenario& scenario) : launch_(std::move(launch)) {
  places_ = scenario.hosts();
  if (launch_.lab) {
    for (const int place : places_) hosts_.push_back(lab::host_name(place));
  } else if (launch_.hostfile) {
    slots_ = slots_of(*launch_.hostfile);
    std::iota(places_.begin(), places_.end(), 0);
    if (places_.size() > slots_.size())
      throw InputError(
          fmt::format("{} has {} slots, but the run takes {}; add hosts or slots=N, "
                      "or take fewer workers",
                      *launch_.hostfile, slots_.size(), places_.size()));
    hosts_.assign(slots_.begin(), slots_.begin() + static_cast<std::ptrdiff_t>(places_.size()));
  }
}

std::vector<std::string> Places::command(const std::vector<int>& members,
                                         const std::vector<int>& without,
                                         const std::vector<std::string>& program,
                                         const std::filesystem::path& folder,
                                         std::optional<LabFaults> faults) const {
  const auto is_lost = [&](int place) {
    return std::ranges::any_of(without, [&](int rank) { return places_[rank] == place; });
  };
  std::vector<int> places;
  std::size_t moved = 0;
  for (const int rank : members) {
    const int place = places_[rank];
    places.push_back(is_lost(place) ? places.at(moved++) : place);  // workers come first
  }
  return at(places, program, folder, std::move(faults));
}

std::vector<int> Places::unreachable(const std::vector<int>& members,
                                     const std::filesystem::path& folder) const {
  if (hosts_.empty()) return {};
  std::vector<int> asked;  // one of each host
  for (const int rank : members)
    if (std::ranges::none_of(asked, [&](int other) { return hosts_[rank] == hosts_[other]; }))
      asked.push_back(rank);
  std::deque<Process> probes;
  for (const int rank : asked) {
    const std::filesystem::path own = folder / fmt::format("probe-{}", rank);
    std::filesystem::create_directories(own);
    probes.emplace_back(at({places_[rank]}, {"true"}, own, {}), own / "log");
    probes.back().set_patience(std::chrono::seconds(1));
  }
  const auto deadline = std::chrono::steady_clock::now() + kAnswerIn;
  std::vector<int> missing;
  for (std::size_t i = 0; i < asked.size(); ++i) {
    for (Naps naps; !probes[i].poll() && std::chrono::steady_clock::now() < deadline; naps.take())
      if (interrupted() != 0) return {};
    const std::optional<ProcessEnd> end = probes[i].poll();
    if (end && end->exit_code == 0) continue;
    for (const int rank : members)
      if (hosts_[rank] == hosts_[asked[i]]) missing.push_back(rank);
  }
  for (Process& probe : probes) probe.ask_to_end();
  std::ranges::sort(missing);
  return missing;
}

std::vector<std::string> Places::at(const std::vector<int>& places,
                                    const std::vector<std::string>& program,
                                    const std::filesystem::path& folder,
                                    std::optional<LabFaults> faults) const {
  LaunchOptions launch = launch_;
  launch.faults = std::move(faults);
  if (launch.hostfile) {
    std::vector<std::pair<std::string, int>> slots;  // in the order of the ranks
    for (const int place : places) {
      if (slots.empty() || slots.back().first != slots_[place])
        slots.emplace_back(slots_[place], 0);
      ++slots.back().second;
    }
    std::string text;
    for (const auto& [host, count] : slots) text += fmt::format("{} slots={}\n", host, count);
    launch.hostfile = folder / "hosts";
    write_file_atomically(*launch.hostfile, text);
  }
  return launch_command(launch, static_cast<int>(places.size()), program, places);
}

}  // namespace tandem::elastic
