#include "core/command/sweep_result.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdio>

#include "core/base/interrupt.h"
#include "core/base/terminal.h"
#include "core/record/disturbances.h"
#include "core/record/summary_table.h"
#include "core/record/text_table.h"

namespace tandem {
namespace {

/// What training came to that nobody wants; empty where all is well.
std::string trouble_of(const PointResult& point) {
  const Summary& summary = point.summary;
  if (summary.loss && !std::isfinite(*summary.loss))
    return fmt::format("training diverged, its loss is {}", *summary.loss);
  if (!summary.skipped_steps) return "";
  const MemberResult& first = point.members.front();
  const std::size_t steps = first.first_iteration + first.iterations.size();
  if (2 * *summary.skipped_steps <= static_cast<double>(steps)) return "";
  return fmt::format(
      "{} of {} steps were skipped, since their gradients overflowed in {}; give a smaller "
      "precision.loss_scale.initial and minimum",
      *summary.skipped_steps, steps, point.scenario.precision.name);
}

void warn_of_trouble(const std::vector<PointResult>& results) {
  std::fflush(stdout);
  for (const PointResult& point : results)
    if (const std::string trouble = trouble_of(point); !trouble.empty())
      print_line(stderr, fmt::format("tandem: warning: {}: {}", point.summary.label(), trouble));
}

/// One line for each failure, `kept` after the last; returns the exit code of the first.
int report(const SweepOutcome& outcome, const std::string& kept) {
  std::fflush(stdout);
  if (outcome.interrupted) {
    print_line(stderr, "tandem: error: interrupted" + kept);
    return exit_code_of_signal(interrupted());
  }
  for (const SweepFailure& failure : outcome.failures)
    print_line(stderr, fmt::format("tandem: error: {}{}", failure.message,
                                   &failure == &outcome.failures.back() ? kept : ""));
  return outcome.failures.empty() ? 0 : outcome.failures.front().exit_code;
}

std::string kept_text(const SweepOutcome& outcome, std::size_t finished,
                      const std::filesystem::path& where) {
  return fmt::format("; the {} of {} points that were finished are in {}", finished,
                     outcome.points.size(), where.string());
}

}  // namespace

void print_summaries(const std::vector<PointResult>& results) {
  fmt::print("\n{}{}\n", format_table(summaries(results)), format_disturbances(results));
}

int finish_sweep(std::vector<PointResult>& results, const SweepOutcome& outcome,
                 const std::filesystem::path& out, const RunInfo& info, const KeptPoints* kept,
                 const std::function<void(const std::vector<PointResult>&)>& print_table,
                 const std::string& how_to_go_on) {
  const bool is_whole = results.size() == outcome.points.size();
  const bool spares_older = !is_whole && kept && kept->has_older_result();
  if (!results.empty() && !spares_older) {
    write_result_folder(out, results, info);
    if (!is_whole && kept) kept->own_tables();
    print_table(results);
  }
  if (is_whole && kept) kept->remove();
  warn_of_trouble(results);
  if (results.empty()) return report(outcome, how_to_go_on);
  std::string text = kept_text(outcome, results.size(), spares_older ? kept->folder() : out);
  if (spares_older) text += ", beside an older result";
  if (!how_to_go_on.empty()) {
    text += how_to_go_on;
  } else if (kept && outcome.interrupted) {
    text += "; the same command goes on from there";
  }
  return report(outcome, text);
}

int finish_chosen(const SweepOutcome& outcome, const std::vector<std::size_t>& chosen,
                  const KeptPoints& kept) {
  const std::size_t finished = outcome.finished();
  const std::string where = kept.folder().string();
  if (finished < chosen.size())
    return report(outcome, finished > 0 ? kept_text(outcome, finished, where) : "");
  fmt::print(
      "{} of {} in {}; once all are, the same command with --join in place of --points\n"
      "writes their tables\n",
      finished, counted(outcome.points.size(), "point"), where);
  return 0;
}

}  // namespace tandem
