#include "core/command/simulate.h"

#include "core/base/paths.h"
#include "core/command/commands.h"
#include "core/command/points.h"
#include "core/command/work_folder.h"
#include "core/training/experiment.h"

namespace tandem {
namespace {

constexpr const char* kProgram = "tandem-simulate";

int simulate(const ScenarioOptions& options) {
  const ScenarioFile file = options.load();
  require_platform(file);
  const Backend backend = simulation_backend();
  const std::filesystem::path out = options.out_folder(file);
  require_free_files(out);
  const WorkFolder work(out);
  const std::vector<Scenario> points = with_baselines(file.points);
  check_each(points, [](const Scenario& point) {
    const bool payload = point.simulation.depth == Depth::kPayload;
    check_experiment(point, payload ? DataCheck::kThere : DataCheck::kKnown);
  });
  require_room(points, backend, work.path());
  SweepOutcome outcome = run_sweep(points, backend, work.path());
  return finish_sweep(outcome, points.size(), out, {own_command(), file.path});
}

}  // namespace

bool can_simulate() {
  return std::filesystem::exists(executable_folder() / kProgram);
}

Backend simulation_backend() {
  const std::string program = sibling_program(kProgram);
  return {.command = [program](const Scenario&,
                               const PointFiles& files) { return point_arguments(program, files); },
          .check =
              [program](const Scenario&, const PointFiles& files) {
                std::vector<std::string> words = point_arguments(program, files);
                words.emplace_back("--check");
                return words;
              }};
}

void add_simulate(CLI::App& app, CommandAction& action) {
  auto options = std::make_shared<ScenarioOptions>();
  CLI::App* command =
      app.add_subcommand("simulate", "Predict a scenario's training speed on a simulated platform");
  add_scenario(*command, *options);
  add_platform(*command, *options);
  add_out(*command, *options);
  add_chakra(*command, *options);
  command->footer(
      "Example:\n  tandem simulate scenarios/thesis_ps_vs_ring.yaml --out results/thesis\n"
      "Writes summary.csv, iterations.csv, run.json, trace.json (for ui.perfetto.dev).");
  command->callback([&action, options] { action = [options] { return simulate(*options); }; });
}

}  // namespace tandem
