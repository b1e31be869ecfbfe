#include "core/base/paths.h"

#include <fmt/format.h>

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

/// Of files NAME.extension, sorted; none where there is no such folder.
std::vector<std::string> names_in(const fs::path& folder, const std::string& extension) {
  std::vector<std::string> names;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(folder, none))
    if (entry.path().extension() == dotted(extension)) names.push_back(entry.path().stem());
  std::sort(names.begin(), names.end());
  return names;
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
  if (looks_like_path(name)) {  // a bare name is never a file that happens to lie here
    std::error_code problem;
    const fs::file_status status = fs::status(name, problem);
    if (fs::is_regular_file(status)) return name;
    throw InputError(fmt::format("{}: {}", name,
                                 fs::exists(status)                          ? "this is no file"
                                 : status.type() == fs::file_type::not_found ? "no such file"
                                                                             : problem.message()));
  }
  fs::path file = home_folder() / folder / (name + dotted(extension));
  std::error_code ignored;  // what has no such file for a name is in no list either
  if (fs::is_regular_file(file, ignored)) return file;
  std::vector<std::string> known = resource_names(folder, extension);
  for (const std::string& other : others)
    if (std::ranges::find(known, other) == known.end()) known.push_back(other);
  throw InputError(fmt::format("no {}{} in {}{}", name, dotted(extension),
                               file.parent_path().string(),
                               known.empty() ? "" : "; " + hint(name, known)));
}

fs::path find_device(const fs::path& platform, const std::string& name,
                     const std::vector<std::string>& others) {
  const std::string profile = profile_name(name);
  const fs::path own = platform.parent_path() / "devices";
  fs::path beside = own / (profile + ".yaml");
  std::error_code ignored;  // as there
  if (fs::is_regular_file(beside, ignored)) return beside;
  std::vector<std::string> known = names_in(own, "yaml");
  known.insert(known.end(), others.begin(), others.end());
  return find_resource("platforms/devices", profile, "yaml", known);
}

}  // namespace tandem
