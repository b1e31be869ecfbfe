#include "core/record/summary_table.h"

#include <fmt/format.h>

#include <set>

#include "core/base/device_name.h"
#include "core/record/text_table.h"

namespace tandem {
namespace {

std::string milliseconds(std::optional<double> seconds) {
  return four_digits(seconds ? std::optional(*seconds * 1e3) : std::nullopt);
}

std::string percent(std::optional<double> share) {
  return share ? fmt::format("{:.1f}", *share * 100) : "-";
}

}  // namespace

std::string format_table(const std::vector<Summary>& rows) {
  std::vector<std::vector<std::string>> cells;
  std::vector<std::string> devices;
  for (const Summary& row : rows) {
    devices.push_back(row.device);
    cells.push_back({row.model, with_variant(row.algorithm, row.variant),
                     std::to_string(row.workers), milliseconds(row.iteration_s),
                     milliseconds(row.exposed_communication_s), four_digits(row.images_per_s),
                     four_digits(row.speedup), percent(row.accuracy)});
  }
  return text_table(
             {"model", "algorithm", "N", "ms/iter", "exposed", "images/s", "speedup", "acc%"},
             cells, 2) +
         paced_note(devices);
}

std::string paced_note(const std::vector<std::string>& devices) {
  std::string note;
  for (const std::string& device : std::set(devices.begin(), devices.end()))
    if (is_paced(device))
      note +=
          fmt::format("{}: waits for as long as a profile says, and computes nothing\n", device);
  return note;
}

}  // namespace tandem
