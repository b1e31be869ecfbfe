#pragma once

#include <span>
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
  double measured = 0;  ///< the median over repeats
  /// 100 * (predicted - measured) / measured; empty where nothing was measured to divide by.
  std::optional<double> error_percent;
  int repeats = 1;
  double measured_low = 0, measured_high = 0;  ///< the least and the most of the repeats
  std::string device;                          ///< of the measurement: summary.csv
  int rank = -1;                               ///< of one member's figure; else -1
  std::string role;                            ///< "worker" or "server", where it has a rank
  std::string host;  ///< that the rank ran on; of several repeats in the first
};

/// Matches points by scenario, model, dataset, algorithm, batch size and workers, and gives a row a
/// figure that both worlds have. Points alike in all of these, such as those of a sweep over bucket
/// sizes, are matched in their order. `measured` is one or more repeats of the same points; their
/// summaries have speed-ups already.
std::vector<ComparisonRow> compare(std::span<const PointResult> predicted,
                                   std::span<const std::vector<PointResult>> measured);

/// The same of each member by itself: the times and bytes of its iterations.
std::vector<ComparisonRow> compare_members(std::span<const PointResult> predicted,
                                           std::span<const std::vector<PointResult>> measured);

/// comparison.csv.
std::string to_csv(const std::vector<ComparisonRow>& rows);

/// members.csv, of compare_members().
std::string members_csv(const std::vector<ComparisonRow>& rows);

/// Times, speed-ups, bytes and losses side by side for an 80-column terminal, and the mean of the
/// absolute errors of iteration times and speed-ups under them; of `members`, compare_members()'s,
/// the mean of those of their iteration times, and whose is the largest; and what was measured on
/// paced devices.
std::string format_table(const std::vector<ComparisonRow>& rows,
                         const std::vector<ComparisonRow>& members = {});

}  // namespace tandem
