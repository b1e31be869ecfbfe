#include "core/data/data_folder.h"

#include <fmt/format.h>

#include <cstdlib>
#include <optional>

#include "core/base/error.h"

namespace tandem {
namespace {

namespace fs = std::filesystem;

std::optional<fs::path> find_file(const fs::path& folder, const std::string& name) {
  for (const char* extension : {".gz", ""}) {
    fs::path file = folder / (name + extension);
    std::error_code ignored;
    if (fs::exists(file, ignored)) return file;
  }
  return std::nullopt;
}

std::string advice_on(const DataRequest& request, const Whereabouts& whereabouts) {
  if (request.path) return "set data.path to the folder that holds it";
  if (!whereabouts.package.empty()) {
    return fmt::format("install Debian's package {}, or set data.path or TANDEM_DATA",
                       whereabouts.package);
  }
  return fmt::format(
      "set data.path to the folder that holds it, or TANDEM_DATA to the one above a "
      "folder '{}'",
      request.name);
}

// What a package installs is looked for where the environment's folder lacks it; else the folder of
// the environment is what the message names.
std::optional<fs::path> folder_in_environment(const std::string& data,
                                              const Whereabouts& whereabouts) {
  const char* variable = std::getenv("TANDEM_DATA");
  if (variable == nullptr || *variable == '\0') return std::nullopt;
  const fs::path root = variable;
  if (find_file(root / data, whereabouts.first)) return root / data;
  for (const std::string& name : whereabouts.folders) {
    if (find_file(root / name, whereabouts.first)) return root / name;
  }
  if (!whereabouts.package.empty()) return std::nullopt;
  return root / data;
}

}  // namespace

DataFolder::DataFolder(const DataRequest& request, const Whereabouts& whereabouts)
    : data_(request.name), advice_(advice_on(request, whereabouts)) {
  if (request.path) {
    path_ = *request.path;
  } else if (auto found = folder_in_environment(request.name, whereabouts)) {
    path_ = *found;
  } else if (!whereabouts.installed.empty()) {
    path_ = whereabouts.installed;
  } else {
    throw DataMissing(
        fmt::format("data '{}': nothing says where it is; {}", request.name, advice_));
  }
  file(whereabouts.first);
}

fs::path DataFolder::file(const std::string& name) const {
  if (auto found = find_file(path_, name)) return *found;
  throw DataMissing(
      fmt::format("data '{}': there is no {}[.gz]; {}", data_, (path_ / name).string(), advice_));
}

}  // namespace tandem
