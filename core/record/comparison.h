#pragma once

#include <string>
#include <vector>

#include "core/record/point_result.h"

namespace tandem {

/// One figure of one point in both worlds.
struct ComparisonRow {
  std::string algorithm, model;
  int workers = 0;
  std::string quantity;  ///< a column of summary.csv
  double predicted = 0;
  double measured = 0;
  /// 100 * (predicted - measured) / measured; empty where nothing was measured to divide by.
  std::optional<double> error_percent;
};

/// Matches rows by scenario, model, dataset, algorithm, batch size and workers, and gives a row a
/// figure that both have. Rows alike in all of these, such as those of a sweep over bucket sizes,
/// are matched in their order.
std::vector<ComparisonRow> compare(const std::vector<Summary>& predicted,
                                   const std::vector<Summary>& measured);

/// comparison.csv.
std::string to_csv(const std::vector<ComparisonRow>& rows);

/// Iteration times and speed-ups side by side for an 80-column terminal, and the mean of the
/// absolute errors under them.
std::string format_table(const std::vector<ComparisonRow>& rows);

}  // namespace tandem
