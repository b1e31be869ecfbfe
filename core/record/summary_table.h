#pragma once

#include <string>
#include <vector>

#include "core/record/point_result.h"

namespace tandem {

/// The rows' main figures for an 80-column terminal; N is the number of workers.
std::string format_table(const std::vector<Summary>& rows);

}  // namespace tandem
