#include "core/command/launcher.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <boost/algorithm/string/split.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>

#include "core/base/error.h"
#include "core/base/processors.h"
#include "core/base/terminal.h"
#include "core/command/backend.h"
#include "core/command/hostfile.h"
#include "core/command/lab.h"

namespace tandem {
namespace {

std::vector<std::string> launcher_words(const std::string& text) {
  std::vector<std::string> words = words_of(text);
  if (words.empty()) throw InputError("--launcher is empty; give a command, such as 'srun'");
  return words;
}

std::string topology(int processor, const char* name) {
  std::string value;
  std::ifstream(fmt::format("/sys/devices/system/cpu/cpu{}/topology/{}", processor, name)) >> value;
  return value;
}

std::vector<std::string> mpirun_words(const LaunchOptions& options, int ranks) {
  // None is bound to a core: each has a thread that moves messages beside those that compute.
  // Ranks that compute on processors bind themselves to several where there are enough
  // (real/mpi/binding.h). Where there are more ranks than cores, Open MPI lets those that wait give
  // theirs away by itself.
  std::vector<std::string> words = {"mpirun", "--bind-to", "none"};
  if (geteuid() == 0) words.emplace_back("--allow-run-as-root");
  if (options.hostfile) {
    words.insert(words.end(), {"--hostfile", *options.hostfile});
    if (options.spreads) words.insert(words.end(), {"--map-by", "node"});
  } else if (ranks > core_count()) {
    words.emplace_back("--oversubscribe");
  }
  return words;
}

std::vector<std::string> lab_words(const LaunchOptions& options, const std::vector<int>& places) {
  std::vector<std::string> words = {sibling_program("tandem-lab"), "launch", "--name",
                                    *options.lab};
  if (options.is_probe) words.emplace_back("--probe");
  if (options.faults)
    words.insert(words.end(),
                 {"--faults", options.faults->point, "--journal", options.faults->journal});
  if (options.faults && options.faults->job_began)
    words.insert(words.end(), {"--job-began", fmt::format("{:.6f}", *options.faults->job_began)});
  if (!places.empty())
    words.insert(words.end(), {"--places", fmt::format("{}", fmt::join(places, ","))});
  return words;
}

bool is_program(const std::string& file) {
  return std::filesystem::is_regular_file(file) && access(file.c_str(), X_OK) == 0;
}

/// Nothing where it can be.
std::string why_not_startable(const std::string& program) {
  const std::string missing = "there is no such program";
  if (program.find('/') != std::string::npos)
    return is_program(program)                      ? ""
           : std::filesystem::is_directory(program) ? "it is a folder"
           : std::filesystem::exists(program)       ? "it is not executable"
                                                    : missing;
  const char* path = std::getenv("PATH");
  std::vector<std::string> folders;  // as execvp(3) has them
  boost::algorithm::split(folders, path ? path : "/bin:/usr/bin", [](char c) { return c == ':'; });
  const bool is_found = std::ranges::any_of(folders, [&](const std::string& folder) {
    return is_program((folder.empty() ? "." : folder) + "/" + program);
  });
  return is_found ? "" : missing;
}

}  // namespace

int core_count() {
  const cpu_set_t allowed = allowed_processors();
  std::set<std::string> cores;
  for (int processor = 0; processor < CPU_SETSIZE; ++processor) {
    if (!CPU_ISSET(processor, &allowed)) continue;
    const std::string core = topology(processor, "core_id");
    cores.insert(core.empty() ? fmt::format("processor {}", processor)
                              : topology(processor, "physical_package_id") + "/" + core);
  }
  return std::max(1, static_cast<int>(cores.size()));
}

void require_launchable(const LaunchOptions& options) {
  if (options.lab && (options.hostfile || options.launcher))
    throw InputError(
        fmt::format("a lab has hosts and a launcher of its own; leave {} out, or run outside of it",
                    options.hostfile ? "--hostfile" : "--launcher"));
  if (options.hostfile && options.launcher)
    throw InputError(
        "--hostfile is mpirun's, but --launcher starts something else; leave one out, and give the "
        "launcher its hosts in its own words");
  if (options.hostfile) {
    if (!std::filesystem::exists(*options.hostfile))
      throw InputError(*options.hostfile + ": there is no such hostfile");
    slots_of(*options.hostfile);
  }
  if (options.lab) {
    lab_platform(*options.lab);
    return;
  }
  const std::string launcher = launch_command(options, 1, {}).front();
  if (const std::string reason = why_not_startable(launcher); !reason.empty())
    throw InputError(fmt::format("can't start {}: {}; {}", launcher, reason,
                                 options.launcher
                                     ? "give another --launcher, such as 'srun'"
                                     : "install Open MPI, or give another by --launcher"));
}

std::vector<std::string> launch_command(const LaunchOptions& options, int ranks,
                                        const std::vector<std::string>& program,
                                        const std::vector<int>& places) {
  std::vector<std::string> words = options.lab        ? lab_words(options, places)
                                   : options.launcher ? launcher_words(*options.launcher)
                                                      : mpirun_words(options, ranks);
  words.insert(words.end(), {"-n", std::to_string(ranks)});
  words.insert(words.end(), program.begin(), program.end());
  return words;
}

std::vector<std::string> check_command(const LaunchOptions& options, int ranks,
                                       const std::vector<int>& places) {
  if (!options.lab && (options.launcher || !options.hostfile)) return {};
  std::vector<std::string> words =
      options.lab ? lab_words(options, places) : mpirun_words(options, ranks);
  words.insert(words.end(),
               {options.lab ? "--check" : "--do-not-launch", "-n", std::to_string(ranks), "true"});
  return words;
}

}  // namespace tandem
