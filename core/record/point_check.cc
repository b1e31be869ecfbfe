#include "core/record/point_check.h"

#include <fmt/format.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "core/base/atomic_file.h"
#include "core/base/error.h"

namespace tandem {

using nlohmann::json;

void save_checks(const std::filesystem::path& file, const std::vector<PointCheck>& checks) {
  json all = json::array();
  for (const PointCheck& check : checks)
    all.push_back({{"inputs", check.inputs}, {"error", check.error}});
  write_file_atomically(file, all.dump());
}

std::vector<PointCheck> load_checks(const std::filesystem::path& file) {
  try {
    std::vector<PointCheck> checks;
    for (const json& check : json::parse(std::ifstream(file)))
      checks.push_back({check.at("inputs"), check.at("error")});
    return checks;
  } catch (const json::exception& error) {
    throw RunError(fmt::format("{}: is no check of points: {}", file.string(), error.what()));
  }
}

}  // namespace tandem
