#include "core/command/kept_points.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/atomic_file.h"
#include "core/base/error.h"
#include "core/base/fnv.h"
#include "core/base/interrupt.h"
#include "core/base/version.h"
#include "core/record/text_table.h"

namespace tandem {

namespace fs = std::filesystem;

namespace {

constexpr const char* kEnding = ".point";
constexpr const char* kOwnTables = "own_tables";

}  // namespace

KeptPoints::KeptPoints(const fs::path& out)
    : KeptPoints(out, fs::exists(out / "summary.csv") && !fs::exists(out / "points" / kOwnTables)) {
}

KeptPoints::KeptPoints(const fs::path& out, bool has_older_result)
    : folder_(out / "points"), has_older_result_(has_older_result) {}

fs::path KeptPoints::file_of(const Scenario& point, const PointCheck& check) const {
  nlohmann::json what = to_json(point);
  if (point.checkpoint)
    for (const char* key : {"path", "resume"}) what["checkpoint"].erase(key);
  const std::string all = what.dump() + "\n" + check.inputs + "\n" + kVersion;
  return folder_ / (fnv1a_hex(std::as_bytes(std::span(all))) + kEnding);
}

void KeptPoints::require_none_but(const std::vector<Scenario>& points,
                                  const std::vector<PointCheck>& checks) const {
  if (interrupted() != 0) return;  // some were not looked at, then: the sweep says so
  for (std::size_t i = 0; i < points.size(); ++i)
    if (fs::exists(file_of(points[i], checks[i]))) return;
  std::error_code none_there;
  const auto others = static_cast<std::size_t>(
      std::count_if(fs::directory_iterator(folder_, none_there), {},
                    [](const auto& file) { return file.path().extension() == kEnding; }));
  if (others == 0) return;
  throw InputError(
      fmt::format("{} holds {} of a sweep that is not finished, and none is of this one with this "
                  "platform and this build; give another --out, or remove that folder",
                  folder_.string(), counted(others, "point")));
}

std::optional<PointResult> KeptPoints::find(const Scenario& point, const PointCheck& check) const {
  const fs::path file = file_of(point, check);
  if (!fs::exists(file)) return std::nullopt;
  try {
    return PointResult::load(file, point);
  } catch (const RunError&) {
    return std::nullopt;  // it was damaged, and is made anew
  }
}

void KeptPoints::keep(const Scenario& point, const PointCheck& check,
                      const fs::path& result) const {
  std::error_code error;
  fs::create_directories(folder_, error);
  if (!error) fs::rename(result, file_of(point, check), error);
  if (error)
    throw RunError(
        fmt::format("{}: can't keep a point here: {}", folder_.string(), error.message()));
}

void KeptPoints::own_tables() const {
  write_file_atomically(folder_ / kOwnTables, "");
}

void KeptPoints::remove(const Scenario& point, const PointCheck& check) const {
  std::error_code none_there;
  fs::remove(file_of(point, check), none_there);
}

void KeptPoints::remove() const {
  std::error_code none_there;
  fs::remove_all(folder_, none_there);
}

}  // namespace tandem
