#include "core/record/text_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace tandem {
namespace {

constexpr std::size_t kTerminalWidth = 80;

std::string line(const std::vector<std::string>& cells, const std::vector<std::size_t>& widths,
                 std::size_t text_columns, const std::string& gap) {
  std::string text;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (i > 0) text += gap;
    text += i < text_columns ? fmt::format("{:<{}}", cells[i], widths[i])
                             : fmt::format("{:>{}}", cells[i], widths[i]);
  }
  return text + '\n';
}

}  // namespace

std::string text_table(const std::vector<std::string>& header,
                       const std::vector<std::vector<std::string>>& rows,
                       std::size_t text_columns) {
  std::vector<std::size_t> widths;
  for (std::size_t i = 0; i < header.size(); ++i) {
    std::size_t width = header[i].size();
    for (const auto& row : rows) width = std::max(width, row[i].size());
    widths.push_back(width);
  }
  std::size_t width = 2 * (widths.size() - 1);
  for (const std::size_t column : widths) width += column;
  const std::string gap = width > kTerminalWidth ? " " : "  ";
  std::string text = line(header, widths, text_columns, gap);
  for (const auto& row : rows) text += line(row, widths, text_columns, gap);
  return text;
}

std::string with_variant(const std::string& algorithm, const std::string& variant) {
  return variant.empty() ? algorithm : algorithm + ", " + variant;
}

std::string counted(std::size_t count, const std::string& thing) {
  return fmt::format("{} {}{}", count, thing, count == 1 ? "" : "s");
}

std::string four_digits(std::optional<double> value) {
  if (!value || std::isnan(*value)) return "-";
  const double size = std::abs(*value);
  if (size == 0) return "0";
  if (size >= 1e8 || size < 1e-4) return fmt::format("{:.3e}", *value);
  const int magnitude = static_cast<int>(std::floor(std::log10(size)));
  return fmt::format("{:.{}f}", *value, std::max(0, 3 - magnitude));
}

}  // namespace tandem
