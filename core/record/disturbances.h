#pragma once

#include <string>
#include <vector>

#include "core/record/point_result.h"

namespace tandem {

/// lost.csv: a row a cause of lost time and point; empty where no point has one.
std::string lost_csv(const std::vector<PointResult>& points);

/// links.csv: a row a bin of time, link and point, of the links that were used most; empty where no
/// point recorded any.
std::string links_csv(const std::vector<PointResult>& points);

/// topology.csv: a row a link and point, of all links between a job's hosts; empty where no point
/// has any.
std::string topology_csv(const std::vector<PointResult>& points);

/// The links of one point for run.json: the bottleneck, and the others that were recorded.
nlohmann::json describe_links(const LinkUsage& usage);

/// For a terminal: where the time of disturbed points goes, and the busiest link of each of a few
/// points; empty where there is nothing to say.
std::string format_disturbances(const std::vector<PointResult>& points);

}  // namespace tandem
