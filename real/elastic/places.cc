#include "real/elastic/places.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "core/base/atomic_file.h"
#include "core/base/error.h"
#include "core/command/hostfile.h"
#include "core/record/text_table.h"
#include "real/lab/lab.h"

namespace tandem::elastic {

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

std::vector<Failure> Places::failures(const Scenario& scenario) const {
  std::vector<Failure> failures = failures_of(scenario, hosts_);
  for (const Failure& failure : failures)
    if (failure.workers.empty() && failure.servers.empty())
      throw InputError(fmt::format("faults.fail: {}: no member of the job is there; it has {}",
                                   failure.label, counted(scenario.members(), "member")));
  return failures;
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
  LaunchOptions launch = launch_;
  launch.faults = std::move(faults);
  return at(std::move(launch), places, program, folder);
}

Probe Places::ask(const std::vector<int>& members, const std::filesystem::path& folder) const {
  std::map<std::string, std::vector<int>> of_host;
  for (const int rank : members)
    if (!hosts_.empty()) of_host[hosts_[rank]].push_back(rank);
  Probe probe;
  for (const auto& [host, ranks] : of_host) {
    const std::filesystem::path own = folder / fmt::format("probe-{}", ranks.front());
    std::filesystem::create_directories(own);
    LaunchOptions launch = launch_;
    launch.is_probe = true;
    probe.ask(ranks, at(std::move(launch), {places_[ranks.front()]}, {"true"}, own), own / "log");
  }
  return probe;
}

std::vector<std::string> Places::at(LaunchOptions launch, const std::vector<int>& places,
                                    const std::vector<std::string>& program,
                                    const std::filesystem::path& folder) const {
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
