#include "core/record/point_table.h"

#include "core/record/csv.h"

namespace tandem {

std::string point_header(const std::vector<std::string>& figures) {
  std::vector<std::string> cells = {"algorithm", "model", "batch_size", "workers", "variant"};
  cells.insert(cells.end(), figures.begin(), figures.end());
  return csv_line(cells);
}

std::string point_line(const Summary& point, const std::vector<std::string>& figures) {
  std::vector<std::string> cells = {point.algorithm, point.model, std::to_string(point.batch_size),
                                    std::to_string(point.workers), point.variant};
  cells.insert(cells.end(), figures.begin(), figures.end());
  return csv_line(cells);
}

}  // namespace tandem
