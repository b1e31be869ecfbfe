#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "core/base/atomic_file.h"
#include "core/base/error.h"
#include "core/base/interrupt.h"
#include "core/base/terminal.h"
#include "core/command/choices.h"
#include "core/command/commands.h"
#include "core/command/simulation.h"
#include "core/command/sweep_result.h"
#include "core/command/trials.h"
#include "core/command/tuning.h"
#include "core/command/work_folder.h"
#include "core/record/text_table.h"
#include "core/scenario/to_yaml.h"

namespace tandem {
namespace {

struct TuneOptions {
  ScenarioOptions scenario;
  std::vector<std::string> allowed;
  std::optional<int> jobs;
};

std::string milliseconds(double seconds) {
  return four_digits(seconds * 1e3);
}

void print_choices(const std::vector<Choice>& choices, const Tuned& tuned) {
  std::vector<std::vector<std::string>> rows;
  const double best = tuned.time(tuned.best);
  for (std::size_t i = 0; i < choices.size(); ++i) {
    const std::size_t pick = tuned.best[i];
    std::string buys = "-", percent = "-";
    if (pick != 0 && tuned.without.at(i)) {
      const double saved = *tuned.without.at(i) - best;
      buys = milliseconds(saved);
      percent = fmt::format("{:.1f}", 100 * saved / *tuned.without.at(i));
    }
    rows.push_back({choices[i].key, choices[i].values[0].text,
                    pick == 0 ? "stays" : choices[i].values[pick].text, buys, percent});
  }
  fmt::print("\n{}\n", text_table({"choice", "as written", "best", "saves ms/iter", "%"}, rows, 3));
}

void print_gain(const Tuned& tuned, std::size_t tried, std::size_t refused) {
  const double own = tuned.time(Picks(tuned.best.size(), 0)), best = tuned.time(tuned.best);
  fmt::print("{} tried{}.\n", counted(tried, "scenario"),
             refused > 0 ? fmt::format(", {} of which can't be run here", refused) : "");
  if (best < own) {
    fmt::print("An iteration takes {} ms as written and {} ms with the best: {:.1f} % less.\n",
               milliseconds(own), milliseconds(best), 100 * (own - best) / own);
  } else {
    fmt::print(
        "An iteration takes {} ms as written, and nothing that was tried is faster by {} %.\n",
        milliseconds(own), 100 * kWorthwhile);
  }
}

Scenario only_point(const ScenarioFile& file) {
  if (file.points.size() > 1)
    throw InputError(fmt::format(
        "{}: this sweep has {} points, but one is tuned at a time; choose it with --set", file.path,
        file.points.size()));
  return file.points[0];
}

int stopped(const SweepOutcome& outcome, const KeptPoints& kept) {
  std::fflush(stdout);
  if (outcome.interrupted) {
    print_line(stderr,
               fmt::format("tandem: error: interrupted; the trials so far are in {}, and the "
                           "same command goes on from there",
                           kept.folder().string()));
    return exit_code_of_signal(interrupted());
  }
  const SweepFailure& failure = outcome.failures.front();
  print_line(stderr, "tandem: error: " + failure.message);
  return failure.exit_code;
}

int tune_scenario(const TuneOptions& options) {
  const ScenarioFile file = options.scenario.load();
  require_platform(file);
  Scenario scenario = only_point(file);
  const std::vector<Choice> choices = choices_of(scenario, options.allowed);
  std::filesystem::path out = options.scenario.out_folder(file);
  if (!options.scenario.out) out += "_tuned";
  const WorkFolder work(out);
  check_simulated({scenario});
  const KeptPoints kept(out);
  Trials trials(
      scenario, choices,
      {.work = work.path(), .checks = {}, .kept = &kept, .jobs = options.jobs, .is_aside = true});
  TuningSpace space;
  for (const Choice& choice : choices) {
    space.values.push_back(choice.values.size());
    space.standard.push_back(choice.standard);
  }
  Tuned tuned;
  try {
    tuned = tune(space, [&](const std::vector<Picks>& picks) { return trials.measure(picks); });
  } catch (const TuningStopped& stop) {
    return stopped(stop.outcome, kept);
  }
  Scenario best = trials.scenario_of(tuned.best);
  best.name += "_tuned";
  const std::filesystem::path tuned_file = out / "tuned.yaml";
  write_file_atomically(out / "trials.csv", trials.csv());
  write_file_atomically(tuned_file,
                        fmt::format("# Written by: {}\n", own_command()) + to_yaml(best));
  kept.remove();
  print_choices(choices, tuned);
  const auto refused = std::ranges::count_if(
      trials.all(), [](const Trial& trial) { return !trial.refused.empty(); });
  print_gain(tuned, trials.all().size(), static_cast<std::size_t>(refused));
  fmt::print("Wrote {}, a scenario to simulate and to run, and {}\n", tuned_file.string(),
             (out / "trials.csv").string());
  return 0;
}

}  // namespace

void add_tune(CLI::App& app, CommandAction& action) {
  auto options = std::make_shared<TuneOptions>();
  CLI::App* command = app.add_subcommand(
      "tune", "Search a simulation for the bucket size, collective, ... that train fastest");
  add_scenario(*command, options->scenario);
  add_platform(*command, options->scenario);
  command
      ->add_option("--allow", options->allowed,
                   "also change this, which changes what is learned or what a worker holds: "
                   "local_steps, compression, stage, micro_batches")
      ->type_name("KEY")
      ->expected(1)
      ->take_all();
  command->add_option("--out", options->scenario.out, "result folder (default: results/NAME_tuned)")
      ->type_name("FOLDER");
  add_jobs(*command, options->jobs);
  command->footer(
      "Example:\n  tandem tune demo --platform gcp_k80 --set algorithm=ring --set workers=4\n"
      "Writes tuned.yaml, the best scenario, and trials.csv, all that were tried.");
  command->callback([&action, options] { action = [options] { return tune_scenario(*options); }; });
}

}  // namespace tandem
