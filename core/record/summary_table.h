#pragma once

#include <string>
#include <vector>

#include "core/record/point_result.h"

namespace tandem {

/// The rows' main figures for an 80-column terminal; N is the number of workers. Says below which
/// devices are paced.
std::string format_table(const std::vector<Summary>& rows);

/// A line for each paced device among those of a table's rows.
std::string paced_note(const std::vector<std::string>& devices);

}  // namespace tandem
