#pragma once

#include <optional>
#include <string>
#include <vector>

namespace tandem {

/// A line of comma-separated values (RFC 4180), newline included: cells with commas, quotes or
/// newlines are quoted.
std::string csv_line(const std::vector<std::string>& cells);

/// The shortest text that reads back to the same number (nan and inf too); empty for nothing.
std::string csv_number(std::optional<double> value);

}  // namespace tandem
