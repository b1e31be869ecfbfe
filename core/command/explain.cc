#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "core/base/atomic_file.h"
#include "core/base/device_name.h"
#include "core/base/error.h"
#include "core/base/paths.h"
#include "core/command/aside_simulator.h"
#include "core/command/chosen_points.h"
#include "core/command/commands.h"
#include "core/command/knee.h"
#include "core/command/points.h"
#include "core/command/simulation.h"
#include "core/command/what_ifs.h"
#include "core/command/work_folder.h"
#include "core/explain/caution.h"
#include "core/explain/critical_path.h"
#include "core/explain/hold_rule.h"
#include "core/record/text_table.h"
#include "core/record/traced_point.h"
#include "core/strategies/strategy.h"

namespace tandem {
namespace {

constexpr std::size_t kCauses = 4;  // lines, so that all fits on a screen

/// By how much a prediction that a simulation confirms may be off.
constexpr double kConfirmed = 0.02;

struct ExplainOptions {
  std::string result;
  std::optional<int> point;
};

std::string milliseconds(std::optional<double> time) {
  return four_digits(time ? std::optional(*time * 1e3) : std::nullopt);
}

std::string percent(double share) {
  return fmt::format("{:.1f}", 100 * share);
}

/// Takes out what a scenario names whose file can't be found, such as a lab's platform, which goes
/// with the lab, or a device beside one. Returns why; empty where all is there.
std::string take_out_missing(nlohmann::json& scenario) {
  std::string why;
  const auto look_for = [&](const char* key, const auto& find) {
    if (!scenario.contains(key) || !scenario[key].is_string()) return;
    try {
      find(scenario[key].get<std::string>());
    } catch (const InputError& error) {
      if (why.empty()) why = error.what();
      scenario.erase(key);
    }
  };
  std::filesystem::path platform;
  look_for("platform",
           [&](const std::string& name) { platform = find_resource("platforms", name, "xml"); });
  look_for("device", [&](const std::string& name) {
    if (!is_computing(name)) find_device(platform, name);
  });
  return why;
}

/// The canonical JSON of the result is a scenario file too.
Scenario scenario_of(const std::string& result, const nlohmann::json& canonical,
                     const std::filesystem::path& work) {
  const std::filesystem::path file = work / "scenario.json";
  write_file_atomically(file, canonical.dump());
  try {
    Scenario point = load_scenario(file).points.at(0);
    point.variant.clear();  // which would list every key of the canonical form
    return point;
  } catch (const InputError& error) {
    const std::string_view text = error.what();  // "/tmp/.../scenario.json:1:20: ..."
    const std::size_t place = text.starts_with(file.string()) ? text.find(": ") + 2 : 0;
    throw not_as_written(std::filesystem::path(result) / "run.json", text.substr(place));
  }
}

/// Members times iterations that explain traces anew at most.
constexpr int kMostTraced = 2048;

/// Messages of which collectives are taken apart at most.
constexpr std::uint64_t kMostMessages = 200'000;

bool has_few_rounds(const PointResult& result) {
  std::uint64_t messages = 0;
  bool has_collectives = false;
  for (const MemberResult& member : result.members) {
    messages += member.traffic.sent_messages;
    has_collectives |= std::ranges::any_of(member.spans, [](const Span& span) {
      return span.lane == Lane::kCommunication && span.peer < 0;
    });
  }
  return has_collectives && messages <= kMostMessages;
}

/// A simulated point is traced anew from its beginning, all members, as long as the simulations are
/// that check what is predicted; of large jobs the result's trace has to do.
TracedPoint trace_again(Scenario point, const AsideSimulator& simulator) {
  point.iterations = *point.iterations + std::exchange(point.warmup_iterations, 0);
  point.trace = {.iterations = *point.iterations, .members = point.members()};
  point.simulation.extrapolate = false;
  PointResult result = simulator.run({point}).front();
  if (has_few_rounds(result)) {
    point.trace.rounds = true;
    result = simulator.run({point}).front();
  }
  return traced_point(result);
}

/// What an iteration waits for may have been sent in the one before it.
void require_neighbours(const TraceSpec& trace) {
  if (trace.every > 1 && trace.iterations != 1)
    throw InputError(
        fmt::format("the trace shows one of every {} iterations, but explain needs some that "
                    "follow each other; make the result again with trace.every=1",
                    trace.every));
}

/// What shows more of the job than its trace does.
std::string more_iterations(const Scenario& point) {
  const auto& traced = point.trace.iterations;
  const bool are_all = !traced || (point.iterations && *traced >= *point.iterations);
  if (are_all) return "more iterations";
  return point.trace.every == 1 ? "trace.iterations=all" : "trace.iterations=all and trace.every=1";
}

void print_path(const std::vector<PathPart>& parts, int iterations) {
  const double whole =
      std::accumulate(parts.begin(), parts.end(), 0.0,
                      [](double sum, const auto& part) { return sum + part.time; });
  std::vector<std::vector<std::string>> rows;
  double rest = whole;
  for (std::size_t i = 0; i < std::min(parts.size(), kCauses); ++i) {
    rows.push_back({parts[i].cause.substr(0, 50), milliseconds(parts[i].time),
                    percent(parts[i].time / whole)});
    rest -= parts[i].time;
  }
  if (parts.size() > kCauses)
    rows.push_back({"all else", milliseconds(rest), percent(rest / whole)});
  const std::string of = iterations > 1 ? fmt::format("{} iterations", iterations) : "an iteration";
  fmt::print("{}", text_table({"critical path of " + of, "ms", "%"}, rows, 1));
}

std::string gain(std::optional<double> was, std::optional<double> is) {
  return was && is ? fmt::format("{:.3f}", *was / *is) : "-";
}

/// Where nothing can be simulated to check it.
void print_unchecked(const std::vector<WhatIf>& all) {
  std::vector<std::vector<std::string>> rows;
  rows.reserve(all.size());
  for (const WhatIf& what_if : all)
    rows.push_back({what_if.name, milliseconds(what_if.predicted_s),
                    gain(all[0].predicted_s, what_if.predicted_s)});
  fmt::print("\n{}", text_table({"what if", "ms by path", "speed-up"}, rows, 1));
}

void print_what_ifs(const std::vector<WhatIf>& all) {
  std::vector<std::vector<std::string>> rows;
  bool all_hold = true;
  for (const WhatIf& what_if : all) {
    const bool both = what_if.predicted_s && what_if.simulated_s;
    const double off = both ? *what_if.predicted_s / *what_if.simulated_s - 1 : 0;
    all_hold &= std::abs(off) <= kConfirmed;
    rows.push_back({what_if.name, milliseconds(what_if.predicted_s),
                    gain(all[0].predicted_s, what_if.predicted_s),
                    milliseconds(what_if.simulated_s),
                    gain(all[0].simulated_s, what_if.simulated_s),
                    both ? fmt::format("{:.2f}", std::round(1e4 * off) / 100 + 0.0) : "-"});
  }
  fmt::print(
      "\n{}",
      text_table({"what if", "ms by path", "speed-up", "simulated", "speed-up", "off %"}, rows, 1));
  if (!all_hold)
    fmt::print("where more than {:g} % off, the path can't tell: the simulated one counts\n",
               100 * kConfirmed);
}

/// Of the numbers that were tried, those that double from the fewest on, and both sides of the
/// knee.
void print_knee(const Knee& knee) {
  if (knee.efficiency.empty()) return fmt::print("\n{}\n", knee.text());
  std::string workers = "workers      ", efficiency = "efficiency % ";
  int doubled = knee.efficiency.begin()->first;
  for (const auto& [tried, share] : knee.efficiency) {
    const bool doubles = tried == doubled;
    if (doubles) doubled *= 2;
    if (!doubles && tried != knee.keeps && tried != knee.above) continue;
    workers += fmt::format("{:>6}", tried);
    efficiency += fmt::format("{:>6}", percent(share));
  }
  fmt::print("\n{}\n{}\n{}\n", workers, efficiency, knee.text());
}

std::string bottleneck_text(const std::vector<PathPart>& path, const std::vector<WhatIf>& all) {
  std::string bottleneck = fmt::format("Bottleneck: {}.", path.front().cause);
  const WhatIf* best = &all.front();
  if (!best->best_known_s()) return bottleneck;
  for (const WhatIf& what_if : all)
    if (what_if.is_single && what_if.best_known_s() < best->best_known_s()) best = &what_if;
  return fmt::format("{}\nWhat helps most by itself: {}.", bottleneck,
                     best == &all.front() ? "nothing of these" : best->name);
}

struct Explanation {
  std::vector<PathPart> path;
  std::vector<WhatIf> all;
  std::vector<Seconds> times;  ///< of an iteration of each period, which all else is of
  std::string why_not = {};    ///< nothing or not all is predicted by path
};

Explanation explanation_of(const Scenario& point, const TracedPoint& traced,
                           const EventGraph& graph, const Scope& scope,
                           const AsideSimulator* simulator) {
  const std::vector<Moment> moments = replay(graph, traced.network, {});
  Explanation made{.path = critical_path(graph, traced.network, moments, scope),
                   .all = what_ifs(point, traced.world, graph, traced.network, scope, simulator),
                   .times = times_of(periods(graph, moments, scope), scope)};
  if (!std::ranges::all_of(made.all, [](const WhatIf& what_if) {
        return what_if.predicted_s || what_if.is_only_simulated;
      }))
    made.why_not = "-: no prediction by path, since rounding alone decides there who comes first";
  return made;
}

/// Where after a change members might do something that the trace does not show, the path is that
/// of the order they had, and predicts nothing.
Explanation explanation_of(const Scenario& point, TracedPoint& traced, const Scope& scope,
                           const HoldRule& rule, const AsideSimulator* simulator) {
  if (!decides_by_time(point)) {
    const EventGraph graph = event_graph(traced, rule);
    try {
      return explanation_of(point, traced, graph, scope, simulator);
    } catch (const NoEnd&) {  // of what those did who serve whoever comes first
      if (graph[boost::graph_bundle].empty()) throw;
    }
  }
  for (MemberSpan& member : traced.spans) {
    member.span.task = {};
    member.span.turn = {};
    member.span.from_any = false;
  }
  Explanation as_traced = explanation_of(point, traced, event_graph(traced), scope, simulator);
  for (WhatIf& what_if : as_traced.all) what_if.predicted_s.reset();
  as_traced.why_not = "no prediction by path: who comes first decides what is done, which changes";
  return as_traced;
}

int explain(const ExplainOptions& options) {
  const std::size_t index = chosen_point(options.result, options.point);
  TracedPoint traced = read_traced_point(options.result, index);
  const WorkFolder work;
  const bool is_simulated = traced.world == "simulated";
  std::string missing = take_out_missing(traced.scenario);
  const Scenario point = scenario_of(options.result, traced.scenario, work.path());
  const Scenario repeated = timed(point);
  std::optional<AsideSimulator> simulator;
  if (is_simulated && missing.empty() && can_simulate()) {
    simulator.emplace(work.path());
    missing = simulator->why_impossible(repeated);
    if (!missing.empty()) simulator.reset();
  }
  const int iterations = repeated.warmup_iterations + *repeated.iterations;
  const bool is_traced_anew = simulator && long{point.members()} * iterations <= kMostTraced;
  HoldRule rule;
  if (is_traced_anew) {
    traced = trace_again(repeated, *simulator);
    rule = hold_rule(point);
  } else {
    require_neighbours(point.trace);
  }
  const Scope scope{.workers = traced.workers,
                    .period = point.period(),
                    .first = point.warmup_iterations,
                    .varies = point.faults.skews_times()};
  const auto [path, all, times, why_not] =
      explanation_of(point, traced, scope, rule, simulator ? &*simulator : nullptr);
  const bool scales = simulator && point.algorithm.name != "none";
  const auto knee = scales ? std::optional(find_knee(point, *simulator)) : std::nullopt;
  const int shown = static_cast<int>(times.size()) * point.period();
  const std::string lost =
      traced.workers < point.workers ? fmt::format(" ({} by its end)", traced.workers) : "";
  fmt::print("\n{}{}, {}{}{}\n", label_of(point), lost, traced.world,
             point.is_paced() ? ", " + *point.device : "",
             is_simulated && !point.platform.empty() ? " on " + point.platform : "");
  fmt::print("{}\n\n", bottleneck_text(path, all));
  print_path(path, point.period());
  simulator ? print_what_ifs(all) : print_unchecked(all);
  if (!why_not.empty()) fmt::print("{}\n", why_not);
  if (!is_traced_anew)
    fmt::print("the trace has {}{} whole: their {}, and its path\n",
               point.iterations ? fmt::format("{} of ", shown) : "",
               counted(point.iterations.value_or(shown), "iteration"),
               scope.varies ? "mean" : "median");
  const bool is_part = !point.iterations || *repeated.iterations < *point.iterations;
  if (simulator && point.faults.changes_in_time() && is_part)
    fmt::print("faults change in time: {} the first {}{} iterations\n",
               is_traced_anew ? "this is of" : "simulated are", iterations,
               point.iterations  // else it is of epochs
                   ? fmt::format(" of its {}", point.warmup_iterations + *point.iterations)
                   : "");
  // Iterations that are simulated are alike, unless their times say otherwise.
  const std::string caution = is_traced_anew && times.size() == 1
                                  ? std::string()
                                  : caution_of_times(times, more_iterations(point));
  if (!caution.empty()) fmt::print("{}\n", caution);
  if (knee) print_knee(*knee);
  if (is_simulated && !missing.empty())
    fmt::print(
        "\nNothing was simulated to check this, since what that takes is missing or has changed:\n"
        "{};\nput it back (a lab's platform comes with tandem lab up), and explain again\n",
        missing);
  return 0;
}

}  // namespace

void add_explain(CLI::App& app, CommandAction& action) {
  auto options = std::make_shared<ExplainOptions>();
  CLI::App* command = app.add_subcommand(
      "explain", "Say what bounds a result, what removing it would buy, and how far it scales");
  command->add_option("RESULT", options->result, "a result folder")->required();
  command
      ->add_option("--point", options->point,
                   "this point of a sweep, counted from 1 (default: the last)")
      ->type_name("NUMBER");
  command->footer("Example:\n  tandem explain results/thesis --point 2");
  command->callback([&action, options] { action = [options] { return explain(*options); }; });
}

}  // namespace tandem
