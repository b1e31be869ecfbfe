#include "core/command/slurm.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>

#include "core/base/atomic_file.h"
#include "core/base/paths.h"
#include "core/command/memory.h"
#include "core/command/points.h"
#include "core/command/process.h"
#include "core/record/text_table.h"

namespace tandem {
namespace {

/// Slurm's MaxArraySize is 1001 unless a site says otherwise.
constexpr std::size_t kMostTasks = 1000;

// Of what a job's name may hold without quotes.
std::string job_name(std::string name) {
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '_' && c != '-' && c != '.') c = '_';
  return name;
}

// In a comment of the script, where a line's end would end it.
std::string in_comment(std::string text) {
  for (char& c : text)
    if (std::iscntrl(static_cast<unsigned char>(c))) c = ' ';
  return text;
}

}  // namespace

std::vector<std::string> array_command(const ScenarioOptions& scenario,
                                       const std::filesystem::path& out) {
  std::vector<std::string> words = {executable_folder() / "tandem", "simulate", scenario.scenario};
  for (const std::string& set : scenario.sets) words.insert(words.end(), {"--set", set});
  if (scenario.platform) words.insert(words.end(), {"--platform", *scenario.platform});
  if (scenario.device) words.insert(words.end(), {"--device", *scenario.device});
  if (scenario.chakra) words.emplace_back("--chakra");
  words.insert(words.end(), {"--out", out});
  return words;
}

std::string array_script(const std::string& name, const std::vector<std::string>& labels,
                         const std::vector<std::string>& command,
                         const std::filesystem::path& folder, double memory) {
  const std::size_t points = labels.size();
  const std::size_t each = (points + kMostTasks - 1) / kMostTasks;
  std::string text = fmt::format(
      "#!/bin/bash\n"
      "#SBATCH --job-name={}\n"
      "#SBATCH --array=1-{}\n"
      "#SBATCH --ntasks=1\n"
      "#SBATCH --cpus-per-task=1\n"
      "#SBATCH --mem={}M\n"
      "#\n"
      "# The points of the sweep:\n",
      job_name(name), (points + each - 1) / each, std::max(500.0, std::ceil(memory / 1e6)));
  for (std::size_t i = 0; i < points; ++i)
    text += fmt::format("#   {}: {}\n", i + 1, in_comment(labels[i]));
  text += fmt::format("set -euo pipefail\ncd {}\n", shell_text({folder}));
  if (each == 1) {
    text += "points=$SLURM_ARRAY_TASK_ID\n";
  } else {
    text += fmt::format(
        "first=$(((SLURM_ARRAY_TASK_ID - 1) * {0} + 1))\n"
        "last=$((first + {0} - 1))\n"
        "points=$first-$((last < {1} ? last : {1}))\n",
        each, points);
  }
  return text + fmt::format("exec {} -j 1 --points \"$points\"\n", shell_text(command));
}

int write_array_script(const std::filesystem::path& file, const ScenarioOptions& scenario,
                       const std::vector<Scenario>& points, const std::filesystem::path& out) {
  const std::vector<std::string> command = array_command(scenario, out);
  std::vector<std::string> labels;
  double memory = 0;
  for (const Scenario& point : points) {
    labels.push_back(label_of(point));
    memory = std::max(memory, simulation_memory(point));
  }
  write_file_atomically(
      file, array_script(points[0].name, labels, command, std::filesystem::current_path(), memory));
  fmt::print(
      "Wrote {}, an array of {}. Submit it, and join the points when all are done:\n"
      "  sbatch {}\n  {} --join\n",
      file.string(), counted(points.size(), "point"), shell_text({file}), shell_text(command));
  return 0;
}

}  // namespace tandem
