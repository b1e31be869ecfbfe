#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/record/point_result.h"

namespace tandem {

/// The header of a table about points: the point's number, from 0, what else tells it from a
/// sweep's others, and the figures. What summary.csv alone has of a point is in its row there.
std::string point_header(const std::vector<std::string>& figures);

/// The figures of each row that a point has in such a table.
using FiguresOf = std::function<std::vector<std::vector<std::string>>(const PointResult&)>;

/// The rows of all points, without the header.
std::string point_rows(const std::vector<PointResult>& points, const FiguresOf& figures_of);

}  // namespace tandem
