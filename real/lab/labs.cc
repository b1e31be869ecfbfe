#include "real/lab/labs.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "core/base/atomic_file.h"
#include "core/base/error.h"
#include "core/base/interrupt.h"
#include "core/base/json_file.h"
#include "core/base/lock_file.h"
#include "core/command/lab.h"
#include "real/lab/namespaces.h"
#include "real/lab/platform_file.h"
#include "real/lab/wiring.h"

namespace tandem::lab {
namespace {

namespace fs = std::filesystem;

fs::path state_file(const std::string& name) {
  return fs::path(kLabFolder) / (name + ".json");
}

/// One process at a time makes and removes labs; others wait.
LockFile locked_folder() {
  constexpr Seconds kLook = 0.1;  // for an interruption
  require_writable_folder(kLabFolder);
  const fs::path file = fs::path(kLabFolder) / "lock";
  LockFile lock(file, Sharing::kAlone, kLook);
  while (lock.is_taken()) {
    end_if_interrupted();
    lock = LockFile(file, Sharing::kAlone, kLook);
  }
  if (!lock.holds())
    throw InputError(
        fmt::format("{}: can't lock this file: {}", file.string(), std::strerror(lock.error())));
  fs::permissions(file, fs::perms::owner_read | fs::perms::owner_write);  // nobody else keeps it
  return lock;
}

void remove(const std::string& name) {
  fs::remove(state_file(name));  // first: without it the rest is a left-over
  fs::remove(lab_platform_file(name));
  fs::remove(disturbance_mark(name));
  fs::remove(lab_use_file(name));
  unwire(name);
}

bool is_whole(const Lab& lab) {
  bool whole = is_alive(namespace_of(lab.name, "net"));
  for (int host = 0; host < lab.hosts(); ++host)
    whole = whole && is_alive(namespace_of(lab.name, host_name(host)));
  return whole;
}

}  // namespace

fs::path disturbance_mark(const std::string& name) {
  return fs::path(kLabFolder) / (name + ".disturbed");
}

void require_root() {
  if (geteuid() == 0) return;
  throw InputError(
      "a lab needs root, for network namespaces; run tandem as root, such as with sudo");
}

void bring_up(const Lab& lab) {
  require_root();
  const LockFile lock = locked_folder();
  if (find_lab(lab.name))
    throw InputError(
        fmt::format("lab {0} is up; take it down with: tandem lab down --name {0}", lab.name));
  remove(lab.name);
  wire(lab);
  try {
    write_file_atomically(lab_platform_file(lab.name), platform_xml(lab));
    write_file_atomically(state_file(lab.name), to_json(lab).dump(2) + "\n");
  } catch (...) {
    remove(lab.name);
    throw;
  }
}

void require_known(const std::string& name) {
  if (std::ranges::count(lab_names(), name) == 0)
    throw InputError(
        fmt::format("there is no lab '{}'; tandem lab status lists those there are", name));
}

void take_down(const std::string& name) {
  require_root();
  const LockFile lock = locked_folder();
  require_known(name);
  remove(name);
}

std::vector<std::string> lab_names() {
  std::vector<std::string> names = labs_with_namespaces();
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(kLabFolder, none)) {
    const std::string name = entry.path().stem();
    if (entry.path().extension() == ".json" && std::ranges::count(names, name) == 0)
      names.push_back(name);
  }
  std::ranges::sort(names);
  return names;
}

std::optional<Lab> find_lab(const std::string& name) {
  if (!fs::exists(state_file(name))) return std::nullopt;
  try {
    const Lab lab = lab_from_json(read_json_file(state_file(name)));
    return is_whole(lab) ? std::optional(lab) : std::nullopt;
  } catch (const nlohmann::json::exception& error) {
    throw InputError(fmt::format("{}: describes no lab: {}; remove this file",
                                 state_file(name).string(), reason_of(error)));
  }
}

Lab require_lab(const std::string& name) {
  check_name(name);  // it is part of a path
  if (const auto lab = find_lab(name)) return *lab;
  lab_platform(name);  // says that there is none
  throw InputError(
      fmt::format("lab {0} is not whole; make it anew with: tandem lab down --name "
                  "{0}, tandem lab up --name {0}",
                  name));
}

}  // namespace tandem::lab
