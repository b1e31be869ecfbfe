#include "sim/link_loads.h"

#include <algorithm>
#include <functional>

#include "sim/burst.h"

namespace tandem {

int LinkLoads::number_of(const simgrid::s4u::Link& link) {
  const auto [known, is_new] = numbers_.try_emplace(&link, static_cast<int>(loads_.size()));
  if (is_new) loads_.push_back({.link = &link});
  return known->second;
}

std::vector<int> LinkLoads::numbers_of(const std::vector<simgrid::s4u::Link*>& links) {
  std::vector<int> numbers;
  for (const simgrid::s4u::Link* link : links) numbers.push_back(number_of(*link));
  return numbers;
}

bool LinkLoads::has_carried(const simgrid::s4u::Link& link) const {
  const auto known = numbers_.find(&link);
  return known != numbers_.end() && loads_[known->second].bytes > 0;
}

bool LinkLoads::has_carried_for_job(const simgrid::s4u::Link& link) const {
  const auto known = numbers_.find(&link);
  return known != numbers_.end() && loads_[known->second].bytes > loads_[known->second].of_others;
}

double LinkLoads::carried(const simgrid::s4u::Link& link) const {
  const auto known = numbers_.find(&link);
  return known == numbers_.end() ? 0 : loads_[known->second].bytes;
}

bool LinkLoads::any() const {
  return std::ranges::any_of(loads_, [](const Load& load) { return load.bytes > 0; });
}

void LinkLoads::make_room(Seconds end) {
  while (end > bin_ * kBins) {
    for (Load& load : loads_) {
      if (load.bins.empty()) continue;
      for (int i = 0; i < kBins; ++i)
        load.bins[i] = i < kBins / 2 ? load.bins[2 * i] + load.bins[2 * i + 1] : 0;
    }
    bin_ *= 2;
  }
}

void LinkLoads::add(std::span<const int> links, Seconds begin, Seconds end, double bytes) {
  for (const int link : links) add(link, begin, end, bytes);
}

void LinkLoads::add_of_others(std::span<const int> links, Seconds begin, Seconds end,
                              double bytes) {
  add(links, begin, end, bytes);
  for (const int link : links) loads_[link].of_others += bytes;
}

void LinkLoads::add(int link, Seconds begin, Seconds end, double bytes) {
  if (end > bin_ * kBins) make_room(end);
  Load& load = loads_[link];
  load.bytes += bytes;
  if (load.bins.empty()) load.bins.resize(kBins);
  const int first = std::clamp(static_cast<int>(begin / bin_), 0, kBins - 1);
  const int last = std::clamp(static_cast<int>(end / bin_), first, kBins - 1);
  if (first == last) {
    load.bins[first] += bytes;
    return;
  }
  const double rate = bytes / (end - begin);
  for (int i = first; i <= last; ++i)
    load.bins[i] += rate * (std::min(end, bin_ * (i + 1)) - std::max(begin, bin_ * i));
}

std::vector<double> LinkLoads::capacity(const Load& load, std::size_t bins, Seconds end) const {
  std::vector<double> bytes(bins);
  for (std::size_t i = 0; i < bins; ++i) {
    const Seconds begin = bin_ * static_cast<double>(i);
    bytes[i] = let_through(*load.link, begin, std::min(begin + bin_, end));
  }
  return bytes;
}

// A message's rate may have changed on its way, so that more than a link carries falls into one bin
// and less into those beside it: what is too much goes to the next that has room.
std::vector<double> LinkLoads::within(const std::vector<double>& capacity, const Load& load) {
  std::vector<double> bytes(load.bins.begin(),
                            load.bins.begin() + static_cast<long>(capacity.size()));
  const auto pass_on = [&](std::size_t from, double surplus) {
    bytes[from] += surplus;
    const double too_much = std::max(0.0, bytes[from] - capacity[from]);
    bytes[from] -= too_much;
    return too_much;
  };
  double surplus = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) surplus = pass_on(i, surplus);
  for (std::size_t i = bytes.size(); i > 0; --i) surplus = pass_on(i - 1, surplus);
  bytes.back() += surplus;
  return bytes;
}

LinkUsage::Link LinkLoads::usage_of(const Load& load, std::size_t bins, Seconds end) const {
  LinkUsage::Link usage{.name = load.link->get_name(),
                        .bandwidth = {},
                        .bytes = load.bytes,
                        .bins = {load.bins.begin(), load.bins.begin() + static_cast<long>(bins)}};
  if (!load.link->is_shared()) return usage;
  usage.bandwidth = let_through(*load.link, 0, end) / end;
  const std::vector<double> most = capacity(load, bins, end);
  if (burst_of(*load.link) == 0) usage.bins = within(most, load);  // which go through at once
  if (may_change(*load.link)) usage.capacity = most;
  return usage;
}

double LinkLoads::share_of(const Load& load, Seconds end) {
  return load.link->is_shared() ? load.bytes / let_through(*load.link, 0, end) : 0;
}

LinkUsage LinkLoads::usage(Seconds end) const {
  LinkUsage usage{.bin = bin_, .end = end, .links = {}};
  const auto bins = std::min<std::size_t>(kBins, static_cast<std::size_t>(end / bin_) + 1);
  std::vector<std::pair<double, const Load*>> carriers;  // by what share of their capacity that is
  for (const Load& load : loads_)
    if (load.bytes > 0) carriers.emplace_back(share_of(load, end), &load);
  std::ranges::stable_sort(carriers, std::greater(), &std::pair<double, const Load*>::first);
  usage.carriers = static_cast<int>(carriers.size());
  carriers.resize(std::min(carriers.size(), kListedLinks));
  for (const auto& [share, load] : carriers) usage.links.push_back(usage_of(*load, bins, end));
  return usage;
}

}  // namespace tandem
