#pragma once

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/record/point_result.h"

namespace tandem {

/// A span of a member.
struct MemberSpan {
  int rank = 0;
  Span span;
};

/// From a member to another.
struct TracedRoute {
  std::vector<std::string> links;  ///< names of those that split their bandwidth
  Seconds latency = 0;             ///< of all links; 0 also where it is not known
};

/// The network that a simulation had, as far as its messages show it.
struct TracedNetwork {
  std::vector<std::string> hosts;       ///< by rank; empty: unknown
  std::map<std::string, double> links;  ///< bytes/s of those that split their bandwidth
  std::map<std::pair<int, int>, TracedRoute> routes;  ///< a pair that is missing is not known
};

/// One point of a result folder, with what its trace shows.
struct TracedPoint {
  std::string world;
  nlohmann::json scenario;  ///< canonical
  int workers = 0;          ///< that take part in what is shown: fewer where some were lost by then
  TracedNetwork network;
  std::vector<MemberSpan> spans;  ///< of each member in the order of time
};

/// For who finds in a result's file what this tandem doesn't write.
InputError not_as_written(const std::filesystem::path& file, std::string_view reason);

/// What a result shows that is in no folder.
TracedPoint traced_point(const PointResult& result);

/// How many points a result folder has. Throws InputError where it is none.
std::size_t count_points(const std::filesystem::path& result);

/// Reads point `index`, counted from 0, from run.json and trace.json. Throws InputError, naming the
/// file, where one is missing or broken, or the trace shows nothing of the point.
TracedPoint read_traced_point(const std::filesystem::path& result, std::size_t index);

}  // namespace tandem
