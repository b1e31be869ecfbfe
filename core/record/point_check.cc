#include "core/record/point_check.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "core/base/atomic_file.h"
#include "core/base/error.h"
#include "core/base/json_file.h"

namespace tandem {

using nlohmann::json;

void save_checks(const std::filesystem::path& file, const std::vector<PointCheck>& checks) {
  json all = json::array();
  for (const PointCheck& check : checks)
    all.push_back({{"inputs", check.inputs},
                   {"error", check.error},
                   {"of_unknown_memory", check.of_unknown_memory},
                   {"records", check.records}});
  write_file_atomically(file, all.dump());
}

std::vector<PointCheck> load_checks(const std::filesystem::path& file) {
  try {
    std::vector<PointCheck> checks;
    for (const json& check : read_json_file(file))
      checks.push_back({check.at("inputs"), check.at("error"), check.at("of_unknown_memory"),
                        check.at("records")});
    return checks;
  } catch (const InputError& error) {
    throw RunError(error.what());
  } catch (const json::exception& error) {
    throw RunError(fmt::format("{}: is no check of points: {}", file.string(), reason_of(error)));
  }
}

}  // namespace tandem
