#include "core/command/sweep.h"

#include <fmt/format.h>

#include <cmath>
#include <fstream>

#include "core/base/atomic_file.h"
#include "core/base/main.h"
#include "core/base/paths.h"
#include "core/command/interrupt.h"
#include "core/command/mpi_errors.h"
#include "core/command/points.h"
#include "core/command/process.h"
#include "core/command/progress_line.h"
#include "core/record/result_folder.h"
#include "core/record/summary_table.h"
#include "core/record/text_table.h"

namespace tandem {
namespace {

std::string figures_of(const Summary& summary) {
  if (!summary.iteration_s) return "done";
  return fmt::format("{} ms an iteration, {} images/s", four_digits(*summary.iteration_s * 1e3),
                     four_digits(summary.images_per_s));
}

SweepFailure failure_of(const ProcessEnd& end, const PointFiles& files) {
  if (const int signal = interrupted(); signal != 0)
    return {"interrupted", exit_code_of_signal(signal)};
  const JobFailure failure = job_failure(end, files.error(), files.log());
  return {failure.message, failure.exit_code};
}

void write_point(const Scenario& point, const PointFiles& files) {
  std::filesystem::create_directories(files.folder);
  write_file_atomically(files.point(), to_json(point).dump(2));
}

// What failed, and at which point where there are several.
std::string at_point(const std::vector<Scenario>& points, std::size_t index,
                     const std::string& message) {
  if (points.size() == 1) return message;
  return fmt::format("point {} of {} ({}): {}", index + 1, points.size(), label_of(points[index]),
                     message);
}

// Runs one point; what keeps it from its result goes to `failure`.
std::optional<PointResult> run_point(const Scenario& point, const Backend& backend,
                                     const PointFiles& files, ProgressLine& line,
                                     std::optional<SweepFailure>& failure) {
  write_point(point, files);
  const std::vector<std::string> command = backend.command(point, files);
  if (backend.shows_command) {
    line.clear();
    fmt::print("$ {}\n", shell_text(command));
    std::fflush(stdout);
  }
  line.begin_point(label_of(point));
  Process process(command, files.log());
  const ProcessEnd end = process.wait([&] { line.update(ProgressFile::read(files.progress())); });
  if (end.exit_code == 0 && interrupted() == 0 && std::filesystem::exists(files.result())) {
    PointResult result = PointResult::load(files.result(), point);
    line.end_point(figures_of(result.summary));
    if (result.environment.contains("warning"))
      fmt::print("warning: {}\n", result.environment["warning"].get<std::string>());
    std::filesystem::remove_all(files.folder);
    return result;
  }
  failure = failure_of(end, files);
  return std::nullopt;
}

}  // namespace

std::vector<std::string> point_arguments(const std::string& program, const PointFiles& files) {
  return {program, files.point(), "--result", files.result(), "--progress", files.progress()};
}

std::string sibling_program(const std::string& name) {
  const std::filesystem::path program = executable_folder() / name;
  if (!std::filesystem::exists(program))
    throw InputError(fmt::format("{}: there is no such program; this build of tandem goes without",
                                 program.string()));
  return program;
}

void check_each(const std::vector<Scenario>& points,
                const std::function<void(const Scenario&)>& check) {
  for (std::size_t i = 0; i < points.size(); ++i) {
    try {
      check(points[i]);
    } catch (const InputError& error) {
      throw InputError(at_point(points, i, error.what()));
    }
  }
}

void require_room(const std::vector<Scenario>& points, const Backend& backend,
                  const std::filesystem::path& folder) {
  const PointFiles files{folder / "check"};
  for (const std::size_t index : widest_points(points)) {
    const std::vector<std::string> command = backend.check(points[index], files);
    if (command.empty()) continue;
    write_point(points[index], files);
    const JobFailure end =
        job_failure(Process(command, files.log()).wait(), files.error(), files.log());
    // Of anything else that fails the point's own run will tell.
    if (end.exit_code == kExitBadInput) throw InputError(at_point(points, index, end.message));
  }
}

SweepOutcome run_sweep(const std::vector<Scenario>& points, const Backend& backend,
                       const std::filesystem::path& folder) {
  SweepOutcome outcome;
  ProgressLine line(static_cast<int>(points.size()));
  for (const Scenario& point : points) {
    const PointFiles files{folder / fmt::format("point-{}", outcome.results.size())};
    try {
      auto result = run_point(point, backend, files, line, outcome.failure);
      if (!result) break;
      outcome.results.push_back(std::move(*result));
    } catch (const InputError& error) {
      outcome.failure = {one_line(error.what()), kExitBadInput};
      break;
    } catch (const std::exception& error) {
      outcome.failure = {one_line(error.what()), kExitRunFailed};
      break;
    }
  }
  if (outcome.failure && interrupted() == 0)
    outcome.failure->message = at_point(points, outcome.results.size(), outcome.failure->message);
  return outcome;
}

int finish_sweep(SweepOutcome& outcome, std::size_t points, const std::filesystem::path& out,
                 const RunInfo& info) {
  const std::size_t finished = outcome.results.size();
  if (finished > 0) {
    write_result_folder(out, outcome.results, info);
    fmt::print("\n{}\n", format_table(summaries(outcome.results)));
  }
  std::fflush(stdout);
  for (const PointResult& point : outcome.results) {
    if (point.summary.loss && !std::isfinite(*point.summary.loss))
      fmt::print(stderr, "tandem: warning: {}: training diverged, its loss is {}\n",
                 point.summary.label(), *point.summary.loss);
  }
  if (!outcome.failure) return 0;
  std::string kept;
  if (finished > 0)
    kept = fmt::format("; the {} of {} points that were finished are in {}", finished, points,
                       out.string());
  fmt::print(stderr, "tandem: error: {}{}\n", outcome.failure->message, kept);
  return outcome.failure->exit_code;
}

}  // namespace tandem
