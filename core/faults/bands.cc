#include "core/faults/bands.h"

#include "core/base/median.h"
#include "core/base/quantile.h"

namespace tandem {
namespace {

std::vector<double> figures_of(const std::vector<Summary>& runs,
                               std::optional<double> Summary::*figure) {
  std::vector<double> figures;
  for (const Summary& run : runs)
    if (run.*figure) figures.push_back(*(run.*figure));
  return figures;
}

}  // namespace

void fill_bands(Summary& summary, const std::vector<Summary>& runs) {
  if (runs.size() < 2) return;
  summary.repeats = static_cast<double>(runs.size());
  for (const auto figure : {&Summary::iteration_s, &Summary::compute_s,
                            &Summary::exposed_communication_s, &Summary::images_per_s}) {
    const std::vector<double> figures = figures_of(runs, figure);
    if (!figures.empty()) summary.*figure = median(figures);
  }
  const auto fill = [&](auto figure, auto low, auto high) {
    const std::vector<double> figures = figures_of(runs, figure);
    if (figures.empty()) return;
    summary.*low = quantile(figures, kBandTail);
    summary.*high = quantile(figures, 1 - kBandTail);
  };
  fill(&Summary::iteration_s, &Summary::iteration_s_low, &Summary::iteration_s_high);
  fill(&Summary::images_per_s, &Summary::images_per_s_low, &Summary::images_per_s_high);
}

}  // namespace tandem
