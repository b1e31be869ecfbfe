#include "core/record/result_folder.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "core/base/atomic_file.h"
#include "core/base/error.h"
#include "core/base/version.h"
#include "core/interchange/chakra.h"
#include "core/record/csv.h"
#include "core/record/disturbances.h"
#include "core/record/point_table.h"
#include "core/record/sent_bytes.h"
#include "core/record/trace.h"
#include "core/record/traffic_table.h"

namespace tandem {
namespace {

using Cells = std::vector<std::string>;

bool is_baseline(const Summary& row) {
  return row.workers == 1 && row.sent_bytes_per_worker == 0 && row.images_per_s;
}

/// A real run's platform is the hosts that it took, and one worker takes fewer than several do.
bool same_platform(const Summary& a, const Summary& b) {
  return a.world == b.world && a.device == b.device &&
         (a.platform == b.platform || a.world == "real");
}

bool is_baseline_of(const Summary& baseline, const Summary& row) {
  return is_baseline(baseline) && same_platform(baseline, row) && baseline.model == row.model &&
         baseline.dataset == row.dataset && baseline.batch_size == row.batch_size;
}

/// Algorithm none where it is among them, else the first.
const Summary* baseline_of(const Summary& row, const std::vector<Summary>& rows) {
  const Summary* found = nullptr;
  for (const Summary& candidate : rows) {
    if (!is_baseline_of(candidate, row)) continue;
    if (candidate.algorithm == "none") return &candidate;
    if (found == nullptr) found = &candidate;
  }
  return found;
}

/// The mean over workers of one iteration, as summary.csv's medians are made of.
Cells iteration_cells(const PointResult& point, std::size_t iteration) {
  double duration = 0, compute = 0, exposed = 0, input = 0, loss = 0;
  int workers = 0, with_loss = 0;  // only the last stage of a pipeline has one
  for (const MemberResult& member : point.members) {
    if (member.is_server) continue;
    const IterationRecord& record = member.iterations[iteration];
    duration += member.count * (record.end - record.begin);
    compute += member.count * record.compute;
    exposed += member.count * record.exposed;
    input += member.count * record.input;
    if (record.loss) with_loss += member.count;
    loss += member.count * record.loss.value_or(0);
    workers += member.count;
  }
  const auto mean = [&](double sum) { return csv_number(sum / workers); };
  return {mean(duration), mean(compute), mean(exposed),
          with_loss > 0 ? csv_number(loss / with_loss) : "", mean(input)};
}

std::vector<Cells> iteration_rows(const PointResult& point) {
  std::vector<Cells> rows;
  const auto warmup = static_cast<std::size_t>(point.scenario.warmup_iterations);
  const std::size_t iterations = point.members.empty() ? 0 : point.members[0].iterations.size();
  for (std::size_t i = 0; i < iterations; ++i) {
    const std::size_t number = i + static_cast<std::size_t>(point.members[0].first_iteration);
    Cells cells = {std::to_string(number), number < warmup ? "1" : "0"};
    for (std::string& cell : iteration_cells(point, i)) cells.push_back(std::move(cell));
    rows.push_back(std::move(cells));
  }
  return rows;
}

std::string iterations_csv(const std::vector<PointResult>& points) {
  return point_header({"iteration", "warmup", "iteration_s", "compute_s", "exposed_communication_s",
                       "loss", "input_s"}) +
         point_rows(points, iteration_rows);
}

bool is_evaluated(const PointResult& point) {
  return point.scenario.evaluate_every.has_value();
}

/// A row an evaluation of the points that ask for more than the final one.
std::vector<Cells> evaluation_rows(const PointResult& point) {
  std::vector<Cells> rows;
  if (!is_evaluated(point) || point.members.empty()) return rows;
  const MemberResult& first = point.members.front();
  SentBytes sent(first.first_iteration, first.sent_bytes_before);
  for (const MemberResult& member : point.members) sent.add(member.iterations);
  for (const Evaluation& evaluation : first.evaluations) {
    const bool is_inherited = evaluation.iteration <= first.first_iteration;
    const std::uint64_t bytes =
        is_inherited ? evaluation.inherited_bytes : sent.until(evaluation.iteration);
    rows.push_back({std::to_string(evaluation.iteration), csv_number(evaluation.time),
                    std::to_string(evaluation.samples), csv_number(evaluation.accuracy),
                    std::to_string(bytes)});
  }
  return rows;
}

/// Empty where there is none, as in simulations that learn nothing.
std::string accuracy_csv(const std::vector<PointResult>& points) {
  const std::string rows = point_rows(points, evaluation_rows);
  return rows.empty()
             ? ""
             : point_header({"iteration", "time_s", "images", "accuracy", "sent_bytes"}) + rows;
}

/// A row a staleness that the point's members have counted.
std::vector<Cells> staleness_rows(const PointResult& point) {
  std::map<int, std::uint64_t> updates;
  for (const MemberResult& member : point.members) {
    for (const auto& [staleness, count] : member.staleness) updates[staleness] += count;
  }
  std::vector<Cells> rows;
  for (const auto& [staleness, count] : updates)
    rows.push_back({std::to_string(staleness), std::to_string(count)});
  return rows;
}

/// Empty where no point has counted any.
std::string staleness_csv(const std::vector<PointResult>& points) {
  const std::string rows = point_rows(points, staleness_rows);
  return rows.empty() ? "" : point_header({"staleness", "updates"}) + rows;
}

std::string host_name() {
  char name[256] = "";
  gethostname(name, sizeof name - 1);
  return name;
}

std::string run_json(const std::vector<PointResult>& points, const RunInfo& info) {
  nlohmann::json all = nlohmann::json::array();
  for (const PointResult& point : points) {
    all.push_back({{"scenario", to_json(point.scenario)},
                   {"platform", point.summary.platform},
                   {"device", point.summary.device},
                   {"environment", point.environment}});
    if (!point.links.empty()) all.back()["links"] = describe_links(point.links);
    if (point.lost) {
      nlohmann::json& lost = all.back()["lost_time"] = to_json(*point.lost);
      lost["method"] =
          point.summary.world == "real"
              ? "measured; undisturbed is as many iterations at the median of those with all "
                "workers, and what came between them"
              : "simulated without faults, then with one cause more at a time in this order; means "
                "over seeds";
    }
  }
  const nlohmann::json run = {{"format", kResultFormat},
                              {"tandem", kVersion},
                              {"command", info.command},
                              {"host", host_name()},
                              {"scenario_file", info.scenario_file},
                              {"points", all}};
  return run.dump(2) + "\n";
}

constexpr const char* kFiles[] = {"summary.csv", "accuracy.csv", "iterations.csv", "staleness.csv",
                                  "lost.csv",    "links.csv",    "topology.csv",   "trace.json",
                                  "traffic.csv", "run.json"};

// In the folder `chakra`, beside which a result may lie in a folder with others' files.
void remove_chakra_traces(const std::filesystem::path& folder) {
  std::error_code none_there;
  std::vector<std::filesystem::path> old;
  for (const auto& entry : std::filesystem::directory_iterator(folder, none_there)) {
    const std::string name = entry.path().filename();
    if (name.ends_with(".et") || name.ends_with(".groups.json")) old.push_back(entry.path());
  }
  for (const std::filesystem::path& file : old) std::filesystem::remove(file, none_there);
  if (!old.empty()) std::filesystem::remove(folder, none_there);  // where nothing else is in it
}

void write_chakra(const std::filesystem::path& folder, const std::vector<PointResult>& points) {
  for (std::size_t i = 0; i < points.size(); ++i) {
    const std::string& scenario = points[i].scenario.name;
    const std::string name = points.size() == 1 ? scenario : fmt::format("{}-{}", scenario, i + 1);
    write_chakra_traces(folder, name, points[i].members);
  }
}

}  // namespace

void require_free_files(const std::filesystem::path& folder) {
  for (const char* file : kFiles) {
    if (std::filesystem::is_directory(folder / file))
      throw InputError(
          fmt::format("{}: this is a folder, where a result has a file", (folder / file).string()));
  }
}

void fill_speedups(std::vector<Summary>& rows) {
  for (Summary& row : rows) {
    const Summary* baseline = baseline_of(row, rows);
    if (!row.images_per_s || baseline == nullptr) continue;
    row.speedup = *row.images_per_s / *baseline->images_per_s;
    row.efficiency = *row.speedup / row.workers;
    if (!row.images_per_s_low) continue;
    row.speedup_low = *row.images_per_s_low / *baseline->images_per_s;
    row.speedup_high = *row.images_per_s_high / *baseline->images_per_s;
  }
}

std::vector<Summary> summaries(const std::vector<PointResult>& points) {
  std::vector<Summary> rows;
  for (const PointResult& point : points) rows.push_back(point.summary);
  return rows;
}

void remove_result(const std::filesystem::path& folder) {
  std::error_code none_there;
  for (const char* file : kFiles) std::filesystem::remove(folder / file, none_there);
  remove_chakra_traces(folder / "chakra");
}

void move_result_folder(const std::filesystem::path& from, const std::filesystem::path& to) {
  remove_result(to);
  std::filesystem::create_directories(to);
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(from))
    if (!entry.is_directory()) files.push_back(entry.path().lexically_relative(from));
  // summary.csv last, as where it is written.
  std::ranges::partition(files, [](const auto& file) { return file != "summary.csv"; });
  for (const std::filesystem::path& file : files) {
    std::filesystem::create_directories((to / file).parent_path());
    std::filesystem::rename(from / file, to / file);
  }
}

void write_result_folder(const std::filesystem::path& folder, std::vector<PointResult>& points,
                         const RunInfo& info) {
  std::vector<Summary> rows = summaries(points);
  fill_speedups(rows);
  for (std::size_t i = 0; i < rows.size(); ++i) points[i].summary = rows[i];
  remove_result(folder);  // an older one; without summary.csv this folder says that it is not whole
  write_chakra(folder / "chakra", points);
  if (const std::string accuracy = accuracy_csv(points); !accuracy.empty())
    write_file_atomically(folder / "accuracy.csv", accuracy);
  write_file_atomically(folder / "iterations.csv", iterations_csv(points));
  if (const std::string staleness = staleness_csv(points); !staleness.empty())
    write_file_atomically(folder / "staleness.csv", staleness);
  if (const std::string lost = lost_csv(points); !lost.empty())
    write_file_atomically(folder / "lost.csv", lost);
  if (const std::string links = links_csv(points); !links.empty())
    write_file_atomically(folder / "links.csv", links);
  if (const std::string topology = topology_csv(points); !topology.empty())
    write_file_atomically(folder / "topology.csv", topology);
  write_file_atomically(folder / "trace.json", chrome_trace(points));
  write_file_atomically(folder / "traffic.csv", traffic_csv(points));
  write_file_atomically(folder / "run.json", run_json(points, info));
  write_file_atomically(folder / "summary.csv", to_csv(rows));  // last: it says that all is there
}

}  // namespace tandem
