#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/base/seconds.h"

namespace tandem {

/// So many links, those that were used most, are in results.
inline constexpr std::size_t kListedLinks = 16;

/// A link of the network between a job's hosts, whatever it carried.
struct WiredLink {
  std::string name;
  std::string from, to;             ///< a host, or a place where links meet
  std::optional<double> bandwidth;  ///< as LinkUsage::Link
  double bytes = 0;                 ///< in the whole run
};

/// What went over the links of a simulated platform in the course of a run.
struct LinkUsage {
  struct Link {
    std::string name;
    /// Bytes/s that it could carry, in the mean over the run; nothing where flows do not share it,
    /// so that each may have all of it.
    std::optional<double> bandwidth;
    double bytes = 0;                   ///< in all
    std::vector<double> bins;           ///< bytes by bin, from the job's begin on
    std::vector<double> capacity = {};  ///< that it could carry, alike; empty: always the same
  };

  Seconds bin = 0;          ///< length of a bin; the last ends with the run
  Seconds end = 0;          ///< of the run
  std::vector<Link> links;  ///< by the share of their capacity that was used, the most first
  int carriers = 0;         ///< links that carried anything, listed or not
  std::vector<WiredLink> wired = {};  ///< all between the job's hosts, as far as that was recorded

  bool empty() const { return links.empty(); }
  /// Of the capacity of a listed link over the whole run; nothing where that has no end.
  std::optional<double> share(const Link& link) const;
  /// The same of a link of `wired`.
  std::optional<double> share(const WiredLink& link) const;
  /// The same of one bin.
  std::optional<double> share(const Link& link, std::size_t bin_index) const;
  /// The largest share of a bin.
  std::optional<double> peak(const Link& link) const;
  Seconds bin_begin(std::size_t index) const { return bin * static_cast<double>(index); }
};

nlohmann::json to_json(const LinkUsage& usage);
LinkUsage link_usage_from_json(const nlohmann::json& source);

}  // namespace tandem
