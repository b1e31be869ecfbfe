#include "core/record/point_table.h"

#include "core/record/csv.h"

namespace tandem {

std::string point_header(const std::vector<std::string>& figures) {
  std::vector<std::string> cells = {"point",      "algorithm", "model",
                                    "batch_size", "workers",   "variant"};
  cells.insert(cells.end(), figures.begin(), figures.end());
  return csv_line(cells);
}

std::string point_rows(const std::vector<PointResult>& points, const FiguresOf& figures_of) {
  std::string rows;
  for (std::size_t number = 0; number < points.size(); ++number) {
    const Summary& point = points[number].summary;
    for (const std::vector<std::string>& figures : figures_of(points[number])) {
      std::vector<std::string> cells = {std::to_string(number),
                                        point.algorithm,
                                        point.model,
                                        std::to_string(point.batch_size),
                                        std::to_string(point.workers),
                                        point.variant};
      cells.insert(cells.end(), figures.begin(), figures.end());
      rows += csv_line(cells);
    }
  }
  return rows;
}

}  // namespace tandem
