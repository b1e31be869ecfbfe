#include "core/command/scaling_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/base/error.h"
#include "core/command/points.h"
#include "core/command/simulation.h"
#include "core/command/sweep_result.h"
#include "core/command/warnings.h"
#include "core/command/work_folder.h"
#include "core/record/text_table.h"

namespace tandem {
namespace {

constexpr int kMostWorkers = 1'000'000;
constexpr double kRounding = 1e-9;  // of an efficiency

std::string percent(double share) {
  return fmt::format("{:.1f} %", share * 100);
}

/// The search of one of the scenario's points, with what it found.
struct Search {
  Scenario base;  ///< of any number of workers
  ScalingSearch search;
  double alone = 0;                  ///< images/s of the baseline
  std::map<int, PointResult> found;  ///< by workers
  std::string limit = {};            ///< why the number above the answer can't be run

  double efficiency(int workers) const {
    return found.at(workers).summary.images_per_s.value_or(0) / workers / alone;
  }
};

/// One for each point that differs in more than its workers.
std::vector<Search> searches_of(const std::vector<Scenario>& points) {
  std::vector<Search> searches;
  std::set<std::string> known;
  for (Scenario point : points) {
    if (point.algorithm.name == "none")
      throw InputError(
          "--until-efficiency: algorithm none is one worker alone; take another, such as ring");
    point.workers = 1;
    if (known.insert(to_json(point).dump()).second)
      searches.push_back({.base = point, .search = scaling_search_of(point), .found = {}});
  }
  return searches;
}

/// Runs what the searches ask for, round after round.
class Searcher {
 public:
  Searcher(std::vector<Search> searches, double efficiency, SweepOptions how)
      : searches_(std::move(searches)),
        efficiency_(efficiency),
        how_(std::move(how)),
        backend_(simulation_backend()) {}

  void run() {
    run_baselines();
    while (outcome_.failures.empty() && !outcome_.interrupted && run_round()) continue;
  }

  const SweepOutcome& outcome() const { return outcome_; }
  const std::vector<Search>& searches() const { return searches_; }

  /// Baselines first, then each search's, by workers.
  std::vector<PointResult> results() const {
    std::vector<PointResult> all = baselines_;
    for (const Search& search : searches_)
      for (const auto& [workers, result] : search.found) all.push_back(result);
    return all;
  }

 private:
  void run_baselines() {
    std::vector<Scenario> points;
    std::map<std::string, std::size_t> known;
    std::vector<std::size_t> of_search;
    for (const Search& search : searches_) {
      const Scenario baseline = baseline_of(search.base);
      const auto [found, is_new] = known.emplace(to_json(baseline).dump(), points.size());
      if (is_new) points.push_back(baseline);
      of_search.push_back(found->second);
    }
    check_simulated(points);
    how_.checks = require_room(points, backend_, how_.work);
    std::vector<std::optional<PointResult>> results = simulate(points);
    for (std::size_t i = 0; i < searches_.size(); ++i)
      if (const auto& result = results[of_search[i]])
        searches_[i].alone = result->summary.images_per_s.value_or(0);
    for (std::optional<PointResult>& result : results)
      if (result) baselines_.push_back(std::move(*result));
  }

  /// Whether there was anything to do.
  bool run_round() {
    std::vector<Scenario> points;
    std::vector<Search*> owners;
    how_.checks.clear();
    for (Search& search : searches_) {
      while (const std::optional<int> workers = search.search.next()) {
        Scenario point = search.base;
        point.workers = *workers;
        const PointCheck check = check_of(point);
        if (check.error.empty()) {
          points.push_back(point);
          owners.push_back(&search);
          how_.checks.push_back(check);
          break;
        }
        if (search.found.empty()) throw InputError(check.error);
        search.limit = check.error;
        search.search.note(false);
      }
    }
    if (points.empty()) return false;
    std::vector<std::optional<PointResult>> results = simulate(points);
    for (std::size_t i = 0; i < points.size(); ++i) {
      if (!results[i]) continue;
      Search& search = *owners[i];
      const int workers = points[i].workers;
      search.found.emplace(workers, std::move(*results[i]));
      const bool keeps = search.efficiency(workers) >= efficiency_ - kRounding;
      if (!keeps) search.limit.clear();
      search.search.note(keeps);
    }
    return true;
  }

  PointCheck check_of(const Scenario& point) const {
    if (point.workers > kMostWorkers)
      return {.inputs = "", .error = fmt::format("tandem takes {} workers at most", kMostWorkers)};
    return backend_.check({point}, how_.work).at(0);
  }

  std::vector<std::optional<PointResult>> simulate(const std::vector<Scenario>& points) {
    SweepOutcome round = run_sweep(points, backend_, how_);
    outcome_.interrupted = round.interrupted;
    outcome_.failures.insert(outcome_.failures.end(), round.failures.begin(), round.failures.end());
    outcome_.points.resize(outcome_.points.size() + points.size());
    return std::move(round.points);
  }

  std::vector<Search> searches_;
  double efficiency_;
  SweepOptions how_;
  Backend backend_;
  std::vector<PointResult> baselines_;
  SweepOutcome outcome_;
};

/// By the rows of the result, since rounds are nothing that anybody counts.
void print_warnings(const std::vector<PointResult>& results) {
  Warnings warnings;
  for (std::size_t i = 0; i < results.size(); ++i) warnings.add(i, results[i]);
  warnings.print(results.size());
}

void print_trials(const std::vector<Search>& searches) {
  std::vector<std::vector<std::string>> rows;
  for (const Search& search : searches) {
    for (const auto& [workers, result] : search.found) {
      const Summary& summary = result.summary;
      rows.push_back({summary.model, with_variant(summary.algorithm, summary.variant),
                      std::to_string(workers),
                      four_digits(summary.iteration_s ? std::optional(*summary.iteration_s * 1e3)
                                                      : std::nullopt),
                      four_digits(summary.images_per_s), percent(search.efficiency(workers))});
    }
  }
  fmt::print("\n{}\n",
             text_table({"model", "algorithm", "N", "ms/iter", "images/s", "efficiency"}, rows, 2));
}

std::string answer_of(const Search& search) {
  const int answer = search.search.answer(), above = search.search.above();
  std::string text =
      answer == 0 ? "none" : fmt::format("{} ({})", answer, percent(search.efficiency(answer)));
  if (search.limit.empty())
    return text + fmt::format("; {} would have {}", above, percent(search.efficiency(above)));
  return text + fmt::format("; {} can't be run: {}", above, search.limit);
}

void print_answers(const std::vector<Search>& searches, double efficiency) {
  fmt::print("The most workers that keep an efficiency of {}, of those tried:\n",
             percent(efficiency));
  for (const Search& search : searches) {
    const Summary& any = search.found.begin()->second.summary;
    fmt::print("  {}, {}: {}\n", any.model, with_variant(any.algorithm, any.variant),
               answer_of(search));
  }
}

}  // namespace

std::optional<int> ScalingSearch::next() const {
  if (fails_ == 0) return keeps_ == 0 ? lowest_ : 2 * keeps_;
  if (keeps_ == 0 || fails_ - keeps_ <= unit_) return std::nullopt;
  return keeps_ + (fails_ - keeps_) / unit_ / 2 * unit_;
}

void ScalingSearch::note(bool keeps) {
  const int tried = *next();
  (keeps ? keeps_ : fails_) = tried;
}

namespace {

/// Whole pipelines, and whole nodes where the collective goes node by node.
int unit_of(const Scenario& point) {
  if (point.algorithm.name == "pipeline") return point.algorithm.stages.value_or(1);
  if (point.algorithm.collective != "hierarchical") return 1;
  if (point.algorithm.options.node_size) return *point.algorithm.options.node_size;
  if (!point.topology) return 1;
  const std::vector<TopologyParts> parts = topology_parts(*point.topology);
  return parts.size() > 1 ? parts[1].hosts : 1;
}

/// Of one node alone no size of nodes can be told.
int lowest_of(const Scenario& point, int unit) {
  const bool is_derived =
      point.algorithm.collective == "hierarchical" && !point.algorithm.options.node_size;
  return is_derived ? 2 * unit : (point.algorithm.backup_workers / unit + 1) * unit;
}

}  // namespace

ScalingSearch scaling_search_of(const Scenario& point) {
  const int unit = unit_of(point);
  return ScalingSearch(lowest_of(point, unit), unit);
}

int search_scaling(const ScenarioFile& file, double efficiency, std::optional<int> jobs,
                   const std::filesystem::path& out, const RunInfo& info) {
  require_free_files(out);
  const WorkFolder work(out);
  const KeptPoints kept(out);
  Searcher searcher(
      searches_of(file.points), efficiency,
      {.work = work.path(), .checks = {}, .kept = &kept, .jobs = jobs, .is_part = true});
  searcher.run();
  std::vector<PointResult> results = searcher.results();
  print_warnings(results);
  const bool is_whole = results.size() == searcher.outcome().points.size();
  const int code = finish_sweep(results, searcher.outcome(), out, info, &kept,
                                [&](const auto&) { print_trials(searcher.searches()); });
  if (!is_whole) return code;
  print_answers(searcher.searches(), efficiency);
  return code;
}

}  // namespace tandem
