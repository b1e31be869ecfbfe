#include "real/lab/lab.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "core/base/error.h"
#include "core/base/nearest.h"
#include "core/base/processors.h"
#include "core/base/units.h"

namespace tandem::lab {
namespace {

/// TCP hands the shaper its packets in trains that are cut into frames later, as a network card
/// would; a shaper that had to look at each frame by itself took half of both cores for six wires
/// of 200 Mbit/s. A train lasts so long, within what its length can be.
constexpr double kTrainSeconds = 0.5e-3;
constexpr double kShortestTrain = 16e3, kLongestTrain = 64e3;
/// What a shaper lets pass at once after a pause, a train with all its headers: long enough to ride
/// out a late timer, short enough to count for little in a message of a few hundred kilobytes.
constexpr double kBurstPerTrain = 1.1;

constexpr int kMostHosts = 200;
/// In bytes/s, 100 kbit/s and 1 Tbit/s: a rate beyond them is taken for a mistake in its unit.
constexpr double kLowestRate = 1.25e4, kHighestRate = 1.25e11;

double rate_of(const std::string& option, const std::string& text) {
  const std::optional<double> rate = parse_bandwidth(text);
  if (!rate || *rate <= 0)
    throw InputError(
        fmt::format("{} is '{}', but has to be a rate, such as '1 Gbit/s'", option, text));
  if (*rate < kLowestRate || *rate > kHighestRate)
    throw InputError(
        fmt::format("{} is '{}', but has to be from 100 kbit/s to 1 Tbit/s", option, text));
  return *rate;
}

// A whole number from 1 on; 0 where the text is none.
int count_of(const std::string& text) {
  int number = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && rest == end && number > 0 ? number : 0;
}

struct TreeShape {
  int racks = 0;
  int hosts_each = 0;
};

TreeShape tree_shape(const std::string& text) {
  const std::size_t cross = std::min(text.find('x'), text.size());
  const TreeShape shape{count_of(text.substr(0, cross)),
                        count_of(cross < text.size() ? text.substr(cross + 1) : "")};
  if (shape.racks < 2 || shape.hosts_each < 1 || shape.racks > kMostHosts ||
      shape.hosts_each > kMostHosts)
    throw InputError(fmt::format(
        "--tree is '{}', but has to be racks x hosts of each, such as 2x3: two racks or "
        "more, and {} hosts at most",
        text, kMostHosts));
  return shape;
}

/// The number of the host of that name among so many; nothing where none of them is called so.
std::optional<int> host_of_name(const std::string& name, int hosts) {
  for (int host = 0; host < hosts; ++host)
    if (host_name(host) == name) return host;
  return std::nullopt;
}

// The host that "h3=200 Mbit/s" is about.
int named_host(const std::string& option, int hosts) {
  if (const auto host = host_of_name(option.substr(0, option.find('=')), hosts)) return *host;
  throw InputError(fmt::format("--rate is '{}', but the hosts are h1 to h{}", option, hosts));
}

std::vector<double> host_rates(const LabOptions& options, int hosts) {
  std::optional<double> all;
  std::vector<double> rates(hosts, 0);
  for (const std::string& option : options.rates) {
    const std::size_t sign = option.find('=');
    if (sign == std::string::npos) {
      if (all) throw InputError("--rate for all hosts is given twice; keep one");
      all = rate_of("--rate", option);
    } else {
      double& rate = rates[named_host(option, hosts)];
      if (rate > 0)
        throw InputError(
            fmt::format("--rate for {} is given twice; keep one", option.substr(0, sign)));
      rate = rate_of("--rate", option.substr(sign + 1));
    }
  }
  for (int host = 0; host < hosts; ++host) {
    if (rates[host] == 0 && !all)
      throw InputError(fmt::format("no --rate for {}; give one for all, such as --rate '1 Gbit/s'",
                                   host_name(host)));
    if (rates[host] == 0) rates[host] = *all;
  }
  return rates;
}

std::vector<int> own_processors() {
  const cpu_set_t own = allowed_processors();
  std::vector<int> processors;
  for (int i = 0; i < CPU_SETSIZE; ++i) {
    if (CPU_ISSET(i, &own)) processors.push_back(i);
  }
  return processors;
}

}  // namespace

void check_name(const std::string& name) {
  constexpr std::size_t kLongest = 20;
  const auto plain = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); };
  if (name.empty() || name.size() > kLongest || !std::ranges::all_of(name, plain))
    throw InputError(fmt::format("--name is '{}', but has to be 1 to {} small letters and digits",
                                 name, kLongest));
}

double train_bytes(double rate) {
  return std::clamp(kTrainSeconds * rate, kShortestTrain, kLongestTrain);
}

double burst_bytes(double rate) {
  return kBurstPerTrain * train_bytes(rate);
}

std::vector<int> processors_of(const Lab& lab, int host) {
  const int count = static_cast<int>(lab.processors.size());
  if (count == 0) return {};
  std::vector<int> own;
  for (int i = host % count; i < count; i += lab.hosts()) own.push_back(lab.processors[i]);
  return own;
}

std::string host_name(int host) {
  return fmt::format("h{}", host + 1);
}

std::string rack_name(int rack) {
  return fmt::format("rack{}", rack + 1);
}

std::string link_of_host(int host) {
  return host_name(host) + "_link";
}

std::string uplink_of_rack(int rack) {
  return rack_name(rack) + "_uplink";
}

int host_called(const Lab& lab, const std::string& name, const std::string& key) {
  if (const auto host = host_of_name(name, lab.hosts())) return *host;
  std::vector<std::string> names;
  for (int host = 0; host < lab.hosts(); ++host) names.push_back(host_name(host));
  throw InputError(fmt::format("{}: lab {} has no host '{}'; the nearest is '{}'", key, lab.name,
                               name, nearest(name, names)));
}

Lab read_lab(const LabOptions& options) {
  check_name(options.name);
  Lab lab{.name = options.name, .rates = {}, .tree = {}, .processors = {}};
  std::optional<int> hosts = options.hosts;
  if (!options.tree.empty()) {
    const TreeShape shape = tree_shape(options.tree);
    const int in_tree = shape.racks * shape.hosts_each;
    if (hosts.value_or(in_tree) != in_tree)
      throw InputError(fmt::format("--hosts is {}, but --tree {} has {}; leave --hosts out", *hosts,
                                   options.tree, in_tree));
    hosts = in_tree;
    if (options.uplink.empty())
      throw InputError("--tree needs the rate of its uplinks, such as --uplink '1 Gbit/s'");
    lab.tree = {shape.racks, rate_of("--uplink", options.uplink)};
  } else if (!options.uplink.empty()) {
    throw InputError("--uplink is for trees; give --tree RACKSxHOSTS too, or leave it out");
  }
  if (!hosts) throw InputError("give --hosts, such as --hosts 4, or --tree");
  if (*hosts < 1 || *hosts > kMostHosts)
    throw InputError(fmt::format("--hosts is {}, but has to be from 1 to {}", *hosts, kMostHosts));
  lab.rates = host_rates(options, *hosts);
  lab.processors = own_processors();
  return lab;
}

nlohmann::json to_json(const Lab& lab) {
  return {{"name", lab.name},
          {"rates", lab.rates},
          {"racks", lab.tree.racks},
          {"uplink", lab.tree.uplink},
          {"processors", lab.processors}};
}

Lab lab_from_json(const nlohmann::json& source) {
  return {.name = source.at("name"),
          .rates = source.at("rates"),
          .tree = {source.at("racks"), source.at("uplink")},
          .processors = source.value("processors", std::vector<int>{})};
}

}  // namespace tandem::lab
