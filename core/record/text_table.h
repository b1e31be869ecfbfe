#pragma once

#include <optional>
#include <string>
#include <vector>

namespace tandem {

/// Lays cells out in columns two spaces apart for a terminal: the first `text_columns` columns
/// flush left, the others, which hold figures, flush right. Every row has as many cells as
/// `header`.
std::string text_table(const std::vector<std::string>& header,
                       const std::vector<std::vector<std::string>>& rows, std::size_t text_columns);

/// "ring" or "ring, bucket=25 MB".
std::string with_variant(const std::string& algorithm, const std::string& variant);

/// "1 point", "2 points".
std::string counted(std::size_t count, const std::string& thing);

/// Four significant digits, such as "12.35" or "0.0004211"; "-" for nothing.
std::string four_digits(std::optional<double> value);

}  // namespace tandem
