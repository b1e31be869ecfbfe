#include "core/command/resume.h"

#include <fmt/format.h>

#include <cstdio>

#include "core/base/error.h"
#include "core/base/terminal.h"
#include "core/scenario/value.h"
#include "core/training/checkpoint/choose.h"

namespace tandem {
namespace {

namespace fs = std::filesystem;

void require_checkpoints(const Scenario& point) {
  if (!point.checkpoint)
    throw InputError(fmt::format(
        "--resume: scenario {} makes no checkpoints; give it some, such as 'checkpoint: {{every: "
        "100}}', or leave --resume out",
        point.name));
  if (point.is_paced())
    throw InputError(fmt::format(
        "--resume: device {} is paced, so the run computes nothing that could go on; leave one of "
        "the two out",
        *point.device));
}

// The job is told of it in JSON.
void require_utf8(const std::string& folder) {
  if (is_utf8(folder)) return;
  throw InputError(fmt::format(
      "checkpoints can't be in {}, which is not UTF-8 text; work in a folder whose path is",
      folder));
}

void resume(Scenario& point, const fs::path& folder, bool prints) {
  if (point.checkpoint->resume)
    throw InputError(fmt::format(
        "--resume goes on from the newest checkpoint, but checkpoint.resume is {}; leave one of "
        "the two out",
        *point.checkpoint->resume));
  const CheckpointChoice choice = choose_checkpoint(folder, point);
  point.checkpoint->resume = choice.iteration;
  if (!prints) return;
  for (const std::string& refused : choice.refused)
    print_line(stderr, "tandem: warning: can't go on from " + refused);
  if (choice.iteration) {
    fmt::print("Resuming after {} iterations, from {}\n", *choice.iteration,
               checkpoint_path(folder, *choice.iteration).string());
  } else {
    fmt::print("There is no checkpoint yet in {}: beginning anew\n", folder.string());
  }
  std::fflush(stdout);
}

void require_none(const fs::path& folder) {
  const std::vector<int> there = complete_checkpoints(folder);
  if (there.empty()) return;
  throw InputError(
      fmt::format("{} is there from an earlier run; give --resume to go on from it, or remove {}",
                  checkpoint_path(folder, there.front()).string(), folder.string()));
}

}  // namespace

std::vector<CommandLock> resolve_checkpoints(std::vector<Scenario>& points, const fs::path& out,
                                             bool resumes,
                                             const std::function<bool(std::size_t)>& is_done,
                                             bool prints) {
  std::vector<CommandLock> locks;
  for (std::size_t i = 0; i < points.size(); ++i) {
    Scenario& point = points[i];
    if (resumes) require_checkpoints(point);
    if (!point.checkpoint || point.is_paced()) continue;
    fs::path folder = fs::absolute(point.checkpoint->path.value_or(out / "checkpoints"));
    if (points.size() > 1) folder /= fmt::format("point-{}", i + 1);
    point.checkpoint->path = folder.lexically_normal().string();
    require_utf8(*point.checkpoint->path);
    if (is_done(i)) continue;
    if (prints) locks.emplace_back(folder);
    if (resumes) {
      resume(point, folder, prints);
    } else if (!point.checkpoint->resume) {
      require_none(folder);
    }
  }
  return locks;
}

}  // namespace tandem
