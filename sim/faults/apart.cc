#include "sim/faults/apart.h"

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <fstream>
#include <string_view>
#include <system_error>

#include "core/base/atomic_file.h"
#include "core/base/error.h"
#include "sim/simulate.h"

namespace tandem {
namespace {

using nlohmann::json;
using ProgressCall = std::function<void(int, int)>;

/// By ShortCut: what a child calls one that failed.
constexpr std::string_view kShortCuts[] = {"folding", "fusing", "extrapolation"};

/// Where a child says what went wrong, beside the file of its result.
std::filesystem::path error_file(const std::filesystem::path& result) {
  return result.string() + ".error";
}

void save_error(const std::filesystem::path& file, std::string_view kind,
                const std::exception& error) {
  write_file_atomically(error_file(file), json{{"kind", kind}, {"error", error.what()}}.dump());
}

/// In the child.
void simulate_to(const std::filesystem::path& file, const Scenario& scenario,
                 const Segment& segment, const ProgressCall& progress,
                 const RefusedShortCuts& refused) {
  try {
    simulate(scenario, progress, refused, segment).save(file);
  } catch (const ShortCutFailed& failed) {
    save_error(file, kShortCuts[static_cast<int>(failed.which())], failed);
  } catch (const InputError& error) {
    save_error(file, "input", error);
  } catch (const std::exception& error) {
    save_error(file, "run", error);
  }
}

int wait_for(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : kExitRunFailed;
}

}  // namespace

PointResult simulate_apart(const Scenario& scenario, const Segment& segment,
                           const std::filesystem::path& scratch, const ProgressCall& progress) {
  RefusedShortCuts refused;
  const std::filesystem::path failed = error_file(scratch);
  while (true) {
    for (const auto& left_over : {scratch, failed}) std::filesystem::remove(left_over);
    const pid_t child = fork();
    if (child < 0) throw std::system_error(errno, std::generic_category(), "fork");
    if (child == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);  // nobody would read its result
      simulate_to(scratch, scenario, segment, progress, refused);
      _exit(0);
    }
    const int code = wait_for(child);
    if (code == 0 && std::filesystem::exists(scratch)) break;
    // Without a file SimGrid said what, on standard error (AbortGuard), or a signal ended it.
    if (!std::filesystem::exists(failed)) {
      if (code == kExitBadInput) _exit(code);
      throw RunError("a simulation of a point with faults died");
    }
    const json error = json::parse(std::ifstream(failed));
    const std::string kind = error.at("kind"), message = error.at("error");
    if (kind == "input") throw InputError(message);
    if (kind == "run") throw RunError(message);
    const auto which = std::ranges::find(kShortCuts, kind) - std::begin(kShortCuts);
    refused.refuse(static_cast<ShortCut>(which), message);
  }
  PointResult result = PointResult::load(scratch, scenario);
  for (const auto& read : {scratch, failed}) std::filesystem::remove(read);
  return result;
}

}  // namespace tandem
