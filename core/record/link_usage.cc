#include "core/record/link_usage.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/record/json_number.h"

namespace tandem {

std::optional<double> LinkUsage::share(const Link& link) const {
  if (!link.bandwidth) return std::nullopt;
  return link.bytes / (*link.bandwidth * end);
}

std::optional<double> LinkUsage::share(const WiredLink& link) const {
  if (!link.bandwidth) return std::nullopt;
  return *link.bandwidth > 0 ? link.bytes / (*link.bandwidth * end) : 0;
}

std::optional<double> LinkUsage::share(const Link& link, std::size_t index) const {
  if (!link.bandwidth) return std::nullopt;
  const Seconds length = std::min(bin, end - bin_begin(index));
  const double most = link.capacity.empty() ? *link.bandwidth * length : link.capacity[index];
  return most > 0 ? link.bins[index] / most : 0;
}

std::optional<double> LinkUsage::peak(const Link& link) const {
  std::optional<double> most;
  for (std::size_t i = 0; i < link.bins.size(); ++i) most = std::max(most, share(link, i));
  return most;
}

nlohmann::json to_json(const LinkUsage& usage) {
  nlohmann::json links = nlohmann::json::array();
  for (const LinkUsage::Link& link : usage.links)
    links.push_back({link.name, json_number(link.bandwidth), link.bytes, link.bins, link.capacity});
  nlohmann::json wired = nlohmann::json::array();
  for (const WiredLink& link : usage.wired)
    wired.push_back({link.name, link.from, link.to, json_number(link.bandwidth), link.bytes});
  return {{"bin", usage.bin},
          {"end", usage.end},
          {"carriers", usage.carriers},
          {"links", links},
          {"wired", wired}};
}

LinkUsage link_usage_from_json(const nlohmann::json& source) {
  LinkUsage usage{.bin = source.at("bin"),
                  .end = source.at("end"),
                  .links = {},
                  .carriers = source.at("carriers")};
  for (const nlohmann::json& row : source.at("links"))
    usage.links.push_back({row[0], number_from(row[1]), row[2], row[3], row[4]});
  for (const nlohmann::json& row : source.value("wired", nlohmann::json::array()))
    usage.wired.push_back({row[0], row[1], row[2], number_from(row[3]), row[4]});
  return usage;
}

}  // namespace tandem
