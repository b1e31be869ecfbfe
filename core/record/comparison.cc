#include "core/record/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/record/csv.h"
#include "core/record/text_table.h"

namespace tandem {
namespace {

struct Quantity {
  const char* name;
  std::optional<double> Summary::*figure;
};

constexpr Quantity kQuantities[] = {
    {"iteration_s", &Summary::iteration_s},
    {"images_per_s", &Summary::images_per_s},
    {"compute_s", &Summary::compute_s},
    {"exposed_communication_s", &Summary::exposed_communication_s},
    {"speedup", &Summary::speedup},
    {"sent_bytes_per_worker", &Summary::sent_bytes_per_worker},
    {"received_bytes_per_worker", &Summary::received_bytes_per_worker},
    {"peak_memory_bytes", &Summary::peak_memory_bytes},
};

bool same_point(const Summary& a, const Summary& b) {
  return a.scenario == b.scenario && a.model == b.model && a.dataset == b.dataset &&
         a.algorithm == b.algorithm && a.batch_size == b.batch_size && a.workers == b.workers &&
         a.variant == b.variant;
}

std::optional<double> error_percent(double predicted, double measured) {
  if (measured == 0) return predicted == 0 ? std::optional(0.0) : std::nullopt;
  return 100 * (predicted - measured) / measured;
}

void compare_point(const Summary& predicted, const Summary& measured,
                   std::vector<ComparisonRow>& rows) {
  for (const Quantity& quantity : kQuantities) {
    const std::optional<double> p = predicted.*quantity.figure;
    const std::optional<double> m = measured.*quantity.figure;
    if (!p || !m) continue;
    rows.push_back({with_variant(measured.algorithm, measured.variant), measured.model,
                    measured.workers, quantity.name, *p, *m, error_percent(*p, *m)});
  }
}

bool is_shown(const ComparisonRow& row) {
  return row.quantity == "iteration_s" || row.quantity == "speedup";
}

std::string mean_error(const std::vector<ComparisonRow>& rows, const std::string& quantity) {
  double sum = 0;
  int count = 0;
  for (const ComparisonRow& row : rows) {
    if (row.quantity != quantity || !row.error_percent) continue;
    sum += std::abs(*row.error_percent);
    ++count;
  }
  if (count == 0) return "";
  return fmt::format("mean |error| of {}: {:.1f} % over {}\n", quantity, sum / count,
                     counted(count, "point"));
}

}  // namespace

std::vector<ComparisonRow> compare(const std::vector<Summary>& predicted,
                                   const std::vector<Summary>& measured) {
  std::vector<ComparisonRow> rows;
  std::vector<bool> taken(predicted.size());
  for (const Summary& real : measured) {
    for (std::size_t i = 0; i < predicted.size(); ++i) {
      if (taken[i] || !same_point(predicted[i], real)) continue;
      compare_point(predicted[i], real, rows);
      taken[i] = true;
      break;
    }
  }
  return rows;
}

std::string to_csv(const std::vector<ComparisonRow>& rows) {
  std::string csv = csv_line(
      {"algorithm", "model", "workers", "quantity", "predicted", "measured", "error_percent"});
  for (const ComparisonRow& row : rows) {
    csv += csv_line({row.algorithm, row.model, std::to_string(row.workers), row.quantity,
                     csv_number(row.predicted), csv_number(row.measured),
                     csv_number(row.error_percent)});
  }
  return csv;
}

std::string format_table(const std::vector<ComparisonRow>& rows) {
  std::vector<std::vector<std::string>> cells;
  for (const ComparisonRow& row : rows) {
    if (!is_shown(row)) continue;
    cells.push_back({row.model, row.algorithm, row.quantity, std::to_string(row.workers),
                     four_digits(row.predicted), four_digits(row.measured),
                     row.error_percent ? fmt::format("{:+.1f} %", *row.error_percent) : "-"});
  }
  return text_table({"model", "algorithm", "quantity", "N", "predicted", "measured", "error"},
                    cells, 3) +
         mean_error(rows, "iteration_s") + mean_error(rows, "speedup");
}

}  // namespace tandem
