#pragma once

#include <string>
#include <vector>

#include "core/record/point_result.h"

namespace tandem {

/// The header of a table about points: what tells a point from a sweep's others, and the figures.
std::string point_header(const std::vector<std::string>& figures);

/// A row of such a table.
std::string point_line(const Summary& point, const std::vector<std::string>& figures);

}  // namespace tandem
