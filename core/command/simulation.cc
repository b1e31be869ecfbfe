#include "core/command/simulation.h"

#include <fmt/format.h>

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "core/base/atomic_file.h"
#include "core/base/error.h"
#include "core/base/fnv.h"
#include "core/base/interrupt.h"
#include "core/base/paths.h"
#include "core/command/sweep.h"
#include "core/training/experiment.h"

namespace tandem {
namespace {

constexpr const char* kProgram = "tandem-simulate";

using Indices = std::vector<std::size_t>;

/// Points that share a platform: SimGrid loads one a process.
std::map<std::string, Indices> by_platform(const std::vector<Scenario>& points) {
  std::map<std::string, Indices> groups;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const nlohmann::json point = to_json(points[i]);
    groups[point.at("platform").dump()].push_back(i);
  }
  return groups;
}

void write_sweep(const std::vector<Scenario>& points, const Indices& chosen,
                 const std::filesystem::path& file) {
  nlohmann::json all = nlohmann::json::array();
  for (const std::size_t index : chosen) all.push_back(to_json(points[index]));
  write_file_atomically(file, nlohmann::json{{"sweep", all}}.dump());
}

/// `build` is of the program's contents: what another build found may differ.
std::vector<PointCheck> check_on_platforms(const std::vector<Scenario>& points,
                                           const std::string& program, const std::string& build,
                                           const std::filesystem::path& folder) {
  std::vector<PointCheck> checks(points.size());
  const PointFiles files{folder / "check"};
  std::filesystem::create_directories(files.folder);
  for (const auto& [platform, chosen] : by_platform(points)) {
    write_sweep(points, chosen, files.point());
    std::vector<std::string> command = point_arguments(program, files);
    command.emplace_back("--check");
    try {
      run_check(command, files);
    } catch (const InputError& error) {
      for (const std::size_t index : chosen) checks[index].error = error.what();
      continue;
    } catch (const RunError& error) {
      if (interrupted() != 0) break;  // which the sweep will say
      throw RunError(fmt::format("can't look the points over: {}", error.what()));
    }
    const std::vector<PointCheck> found = load_checks(files.result());
    for (std::size_t i = 0; i < chosen.size(); ++i) {
      checks[chosen[i]] = found.at(i);
      checks[chosen[i]].inputs += build;
    }
  }
  return checks;
}

}  // namespace

bool can_simulate() {
  return std::filesystem::exists(executable_folder() / kProgram);
}

Backend simulation_backend() {
  const std::string program = sibling_program(kProgram);
  const std::string text = read_file(program);
  const std::string build = fnv1a_hex(std::as_bytes(std::span(text)));
  return {.command = [program](const Scenario&,
                               const PointFiles& files) { return point_arguments(program, files); },
          .check =
              [program, build](const std::vector<Scenario>& points,
                               const std::filesystem::path& folder) {
                return check_on_platforms(points, program, build, folder);
              }};
}

void check_simulated(const std::vector<Scenario>& points) {
  check_each(points, [](const Scenario& point) {
    const bool payload = point.simulation.depth == Depth::kPayload;
    check_experiment(point, payload ? DataCheck::kThere : DataCheck::kKnown);
  });
}

}  // namespace tandem
