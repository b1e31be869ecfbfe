#include "core/command/trials.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/error.h"
#include "core/command/points.h"
#include "core/command/simulation.h"
#include "core/record/csv.h"

namespace tandem {
Trials::Trials(const Scenario& scenario, const std::vector<Choice>& choices, SweepOptions how)
    : scenario_(scenario),
      choices_(choices),
      how_(std::move(how)),
      backend_(simulation_backend()) {}

Scenario Trials::scenario_of(const Picks& picks) const {
  Scenario scenario = scenario_;
  for (std::size_t i = 0; i < picks.size(); ++i)
    choices_[i].values[picks[i]].set(scenario.algorithm);
  return scenario;
}

std::vector<std::optional<double>> Trials::measure(const std::vector<Picks>& wanted) {
  std::vector<Trial> trials;
  for (const Picks& picks : wanted) trials.push_back({picks, {}, ""});
  simulate(trials);
  std::vector<std::optional<double>> times;
  for (Trial& trial : trials) {
    times.push_back(trial.summary ? trial.summary->iteration_s : std::nullopt);
    all_.push_back(std::move(trial));
  }
  return times;
}

std::vector<Scenario> Trials::points_of(const std::vector<Trial>& trials) const {
  std::vector<Scenario> points;
  for (const Trial& trial : trials) {
    points.push_back(timed(scenario_of(trial.picks)));
    points.back().variant = variant_of(trial.picks);
  }
  return points;
}

void Trials::simulate(std::vector<Trial>& trials) {
  const std::vector<Scenario> points = points_of(trials);
  how_.checks = backend_.check(points, how_.work);
  how_.chosen.clear();
  for (std::size_t i = 0; i < points.size(); ++i) {
    trials[i].refused = how_.checks[i].error;
    if (trials[i].refused.empty()) how_.chosen.push_back(i);
  }
  if (how_.chosen.empty()) return;
  SweepOutcome outcome = run_sweep(points, backend_, how_);
  if (outcome.interrupted) throw TuningStopped{std::move(outcome)};
  for (std::size_t i = 0; i < points.size(); ++i)
    if (outcome.points[i]) trials[i].summary = outcome.points[i]->summary;
  for (const SweepFailure& failure : outcome.failures) {
    if (failure.exit_code != kExitBadInput) throw TuningStopped{std::move(outcome)};
    trials[failure.point].refused = failure.message;
  }
}

// What differs from the scenario's own, but for what a label has in any case.
std::string Trials::variant_of(const Picks& picks) const {
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < picks.size(); ++i)
    if (picks[i] != 0 && choices_[i].key != "collective")
      parts.push_back(choices_[i].key + "=" + choices_[i].values[picks[i]].text);
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string Trials::csv() const {
  std::vector<std::string> header;
  for (const Choice& choice : choices_) header.push_back(choice.key);
  for (const char* column : {"iteration_s", "images_per_s", "refused"}) header.emplace_back(column);
  std::string text = csv_line(header);
  for (const Trial& trial : all_) {
    std::vector<std::string> cells;
    for (std::size_t i = 0; i < choices_.size(); ++i)
      cells.push_back(choices_[i].values[trial.picks[i]].text);
    const Summary summary = trial.summary.value_or(Summary{});
    for (const auto& figure : {summary.iteration_s, summary.images_per_s})
      cells.push_back(csv_number(figure));
    cells.push_back(trial.refused);
    text += csv_line(cells);
  }
  return text;
}

}  // namespace tandem
