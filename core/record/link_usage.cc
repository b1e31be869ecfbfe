#include "core/record/link_usage.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace tandem {

double LinkUsage::share(const Link& link, std::size_t index) const {
  const Seconds length = std::min(bin, end - bin_begin(index));
  return length > 0 ? link.bins[index] / (link.bandwidth * length) : 0;
}

double LinkUsage::peak(const Link& link) const {
  double most = 0;
  for (std::size_t i = 0; i < link.bins.size(); ++i) most = std::max(most, share(link, i));
  return most;
}

nlohmann::json to_json(const LinkUsage& usage) {
  nlohmann::json links = nlohmann::json::array();
  for (const LinkUsage::Link& link : usage.links)
    links.push_back({link.name, link.bandwidth, link.bytes, link.bins});
  return {{"bin", usage.bin}, {"end", usage.end}, {"carriers", usage.carriers}, {"links", links}};
}

LinkUsage link_usage_from_json(const nlohmann::json& source) {
  LinkUsage usage{.bin = source.at("bin"),
                  .end = source.at("end"),
                  .links = {},
                  .carriers = source.at("carriers")};
  for (const nlohmann::json& row : source.at("links"))
    usage.links.push_back({row[0], row[1], row[2], row[3]});
  return usage;
}

}  // namespace tandem
