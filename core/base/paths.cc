#include "core/base/paths.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>

#include "core/base/device_name.h"
#include "core/base/error.h"
#include "core/base/nearest.h"

namespace tandem {
namespace {

namespace fs = std::filesystem;

bool is_home(const fs::path& folder) {
  return fs::is_directory(folder / "platforms") && fs::is_directory(folder / "scenarios");
}

std::string dotted(const std::string& extension) {
  return extension.starts_with('.') ? extension : "." + extension;
}

bool looks_like_path(const std::string& name) {
  return name.find_first_of("/.") != std::string::npos;
}

/// Names of the files NAME.extension, sorted; none where there is no such folder.
std::vector<std::string> names_in(const fs::path& folder, const std::string& extension) {
  std::vector<std::string> names;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(folder, none))
    if (entry.path().extension() == dotted(extension)) names.push_back(entry.path().stem());
  std::sort(names.begin(), names.end());
  return names;
}

fs::path named_by_path(const std::string& path) {
  std::error_code problem;
  const fs::file_status status = fs::status(path, problem);
  if (fs::is_regular_file(status)) return path;
  throw InputError(fmt::format("{}: {}", path,
                               fs::exists(status)                          ? "this is no file"
                               : status.type() == fs::file_type::not_found ? "no such file"
                                                                           : problem.message()));
}

/// The file of a bare name, which is never one that happens to lie in the current folder, in the
/// first of the folders that has it. `others` are names that would do and have no file.
fs::path find_in(const std::vector<fs::path>& folders, const std::string& name,
                 const std::string& extension, const std::vector<std::string>& others) {
  const std::string file_name = name + dotted(extension);
  std::vector<std::string> known, places;
  const auto add = [&](const std::vector<std::string>& names) {
    for (const std::string& more : names)
      if (std::ranges::find(known, more) == known.end()) known.push_back(more);
  };
  for (const fs::path& folder : folders) {
    std::error_code ignored;  // what has no such file for a name is in no list either
    fs::path file = folder / file_name;
    if (fs::is_regular_file(file, ignored)) return file;
    add(names_in(folder, extension));
    places.push_back(folder.string());
  }
  add(others);
  throw InputError(fmt::format("no {} in {}{}", file_name, fmt::join(places, " or "),
                               known.empty() ? "" : "; " + hint(name, known)));
}

}  // namespace

fs::path executable_folder() {
  return fs::read_symlink("/proc/self/exe").parent_path();
}

fs::path home_folder() {
  if (const char* home = std::getenv("TANDEM_HOME"); home && *home) {
    if (is_home(home)) return home;
    throw InputError(
        fmt::format("TANDEM_HOME={}: this folder holds no platforms/ and scenarios/", home));
  }
  const fs::path executables = executable_folder();
  fs::path installed = executables.parent_path() / "share" / "tandem";
  if (is_home(installed)) return installed;
  for (fs::path folder = executables; folder.has_relative_path(); folder = folder.parent_path())
    if (is_home(folder)) return folder;
  throw InputError(
      fmt::format("no platforms/ and scenarios/ in {} or above {}; set TANDEM_HOME to their folder",
                  installed.string(), executables.string()));
}

std::vector<std::string> resource_names(const std::string& folder, const std::string& extension) {
  return names_in(home_folder() / folder, extension);
}

fs::path find_resource(const std::string& folder, const std::string& name,
                       const std::string& extension, const std::vector<std::string>& others) {
  if (looks_like_path(name)) return named_by_path(name);
  return find_in({home_folder() / folder}, name, extension, others);
}

fs::path find_device(const fs::path& platform, const std::string& name,
                     const std::vector<std::string>& others) {
  const std::string profile = profile_name(name);
  if (looks_like_path(profile)) return named_by_path(profile);
  std::vector<fs::path> folders = {home_folder() / "platforms" / "devices"};
  const fs::path beside = platform.parent_path() / "devices";
  std::error_code ignored;  // where it isn't there, it isn't the same either
  if (!platform.empty() && fs::is_directory(beside, ignored) &&
      !fs::equivalent(beside, folders.front(), ignored))
    folders.insert(folders.begin(), beside);
  return find_in(folders, profile, "yaml", others);
}

}  // namespace tandem
