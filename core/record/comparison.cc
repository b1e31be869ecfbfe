#include "core/record/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/base/median.h"
#include "core/record/csv.h"
#include "core/record/summary_table.h"
#include "core/record/text_table.h"

namespace tandem {
namespace {

struct Quantity {
  const char* name;
  std::optional<double> Summary::*figure;
};

constexpr Quantity kQuantities[] = {
    {"iteration_s", &Summary::iteration_s},
    {"images_per_s", &Summary::images_per_s},
    {"compute_s", &Summary::compute_s},
    {"exposed_communication_s", &Summary::exposed_communication_s},
    {"speedup", &Summary::speedup},
    {"sent_bytes_per_worker", &Summary::sent_bytes_per_worker},
    {"received_bytes_per_worker", &Summary::received_bytes_per_worker},
    {"peak_memory_bytes", &Summary::peak_memory_bytes},
    {"total_s", &Summary::total_s},
    {"lost_s", &Summary::lost_s},
};
/// What the table for a terminal shows, and under which name it has room there.
struct Shown {
  const char* quantity;
  const char* name;
  double unit = 1;
};
constexpr Shown kShown[] = {
    {"iteration_s", "iteration_s"}, {"exposed_communication_s", "exposed_s"},
    {"speedup", "speedup"},         {"sent_bytes_per_worker", "sent_MB", 1e6},
    {"total_s", "total_s"},         {"lost_s", "lost_s"},
};

struct MemberQuantity {
  const char* name;
  std::optional<double> MemberSummary::*figure;
};

constexpr MemberQuantity kMemberQuantities[] = {
    {"iteration_s", &MemberSummary::iteration_s},
    {"compute_s", &MemberSummary::compute_s},
    {"exposed_communication_s", &MemberSummary::exposed_communication_s},
    {"sent_bytes", &MemberSummary::sent_bytes},
    {"received_bytes", &MemberSummary::received_bytes},
};

bool same_point(const Summary& a, const Summary& b) {
  return a.scenario == b.scenario && a.model == b.model && a.dataset == b.dataset &&
         a.algorithm == b.algorithm && a.batch_size == b.batch_size && a.workers == b.workers &&
         a.variant == b.variant;
}

std::optional<double> error_percent(double predicted, double measured) {
  if (measured == 0) return predicted == 0 ? std::optional(0.0) : std::nullopt;
  return 100 * (predicted - measured) / measured;
}

/// A figure of a prediction and of each repeat of its measurement; nothing where one lacks it.
void add_row(ComparisonRow row, std::optional<double> predicted,
             const std::vector<std::optional<double>>& measured, std::vector<ComparisonRow>& rows) {
  if (!predicted || !std::ranges::all_of(measured, &std::optional<double>::has_value)) return;
  std::vector<double> figures;
  figures.reserve(measured.size());
  for (const std::optional<double>& figure : measured) figures.push_back(*figure);
  row.predicted = *predicted;
  row.measured = median(figures);
  row.error_percent = error_percent(row.predicted, row.measured);
  row.repeats = static_cast<int>(figures.size());
  row.measured_low = std::ranges::min(figures);
  row.measured_high = std::ranges::max(figures);
  rows.push_back(std::move(row));
}

/// A point in both worlds, by its places in the two lists.
struct Match {
  std::size_t predicted, measured;
};

std::vector<Match> match(std::span<const PointResult> predicted,
                         std::span<const PointResult> measured) {
  std::vector<Match> matches;
  std::vector<bool> taken(predicted.size());
  for (std::size_t m = 0; m < measured.size(); ++m) {
    for (std::size_t p = 0; p < predicted.size(); ++p) {
      if (taken[p] || !same_point(predicted[p].summary, measured[m].summary)) continue;
      matches.push_back({p, m});
      taken[p] = true;
      break;
    }
  }
  return matches;
}

ComparisonRow row_of(const Summary& point, const std::string& quantity) {
  ComparisonRow row;
  row.algorithm = with_variant(point.algorithm, point.variant);
  row.model = point.model;
  row.workers = point.workers;
  row.device = point.device;
  row.quantity = quantity;
  return row;
}

constexpr const char* kLostTo = "lost_s: ";

std::optional<double> lost_to(const PointResult& point, const std::string& cause) {
  if (!point.lost) return std::nullopt;
  double sum = 0;
  for (const LostTime& each : point.lost->causes)
    if (each.cause == cause) sum += each.total;
  return sum;
}

/// A row a cause of lost time that both worlds tell of: a real run can't tell what a degraded link
/// cost, and a simulation tests no accuracy.
void add_lost_times(const PointResult& predicted, const std::vector<const PointResult*>& measured,
                    std::vector<ComparisonRow>& rows) {
  if (!predicted.lost || !measured.front()->lost) return;
  for (const LostTime& each : predicted.lost->causes) {
    const std::string& cause = each.cause;
    if (std::ranges::count(measured.front()->lost->causes, cause, &LostTime::cause) == 0) continue;
    std::vector<std::optional<double>> figures;
    figures.reserve(measured.size());
    for (const PointResult* point : measured) figures.push_back(lost_to(*point, cause));
    add_row(row_of(measured.front()->summary, kLostTo + cause), lost_to(predicted, cause), figures,
            rows);
  }
}

/// The host that a rank of a real run was on; empty where the result doesn't say.
std::string host_of(const PointResult& real, std::size_t rank) {
  const auto hosts = real.environment.find("hosts");
  return hosts != real.environment.end() && rank < hosts->size()
             ? hosts->at(rank).get<std::string>()
             : "";
}

std::vector<std::string> figure_cells(const ComparisonRow& row) {
  return {row.quantity,
          csv_number(row.predicted),
          csv_number(row.measured),
          csv_number(row.error_percent),
          std::to_string(row.repeats),
          csv_number(row.measured_low),
          csv_number(row.measured_high),
          row.device};
}

const std::vector<std::string> kFigureColumns = {"quantity",      "predicted", "measured",
                                                 "error_percent", "repeats",   "measured_low",
                                                 "measured_high", "device"};

std::vector<std::string> joined(std::vector<std::string> cells,
                                const std::vector<std::string>& more) {
  cells.insert(cells.end(), more.begin(), more.end());
  return cells;
}

std::optional<Shown> shown(const ComparisonRow& row) {
  if (row.quantity.starts_with(kLostTo)) return Shown{row.quantity.c_str(), row.quantity.c_str()};
  const auto* found = std::ranges::find(kShown, row.quantity, &Shown::quantity);
  return found == std::end(kShown) ? std::nullopt : std::optional(*found);
}

/// How far the repeats' iteration times lie apart; empty where there is one.
std::string scatter(const std::vector<ComparisonRow>& rows) {
  int repeats = 1;
  double most = 0;
  for (const ComparisonRow& row : rows) {
    if (row.quantity != "iteration_s" || row.measured == 0) continue;
    repeats = std::max(repeats, row.repeats);
    most = std::max(most, 100 * (row.measured_high - row.measured_low) / row.measured);
  }
  if (repeats == 1) return "";
  return fmt::format(
      "measured: medians of {} repeats, whose iteration_s differ by up to {:.1f} %\n", repeats,
      most);
}

/// Of all rows of that quantity, which the text calls `called`, one of each `thing`.
std::string mean_error(const std::vector<ComparisonRow>& rows, const std::string& quantity,
                       const std::string& called, const char* thing) {
  double sum = 0;
  int count = 0;
  for (const ComparisonRow& row : rows) {
    if (row.quantity != quantity || !row.error_percent) continue;
    sum += std::abs(*row.error_percent);
    ++count;
  }
  if (count == 0) return "";
  return fmt::format("mean |error| of {}: {:.1f} % over {}\n", called, sum / count,
                     counted(count, thing));
}

/// How far members' iteration times are off, which workers alone have, and whose is the farthest.
std::string members_note(const std::vector<ComparisonRow>& members) {
  const ComparisonRow* worst = nullptr;
  for (const ComparisonRow& row : members)
    if (row.quantity == "iteration_s" && row.error_percent &&
        (!worst || std::abs(*row.error_percent) > std::abs(*worst->error_percent)))
      worst = &row;
  if (!worst) return "";
  return mean_error(members, "iteration_s", "each worker's iteration_s", "worker") +
         fmt::format("  the largest: {:+.1f} %, rank {}{}\n  of {}, {}, {}\n",
                     *worst->error_percent, worst->rank,
                     worst->host.empty() ? "" : " on " + worst->host, worst->model,
                     worst->algorithm, counted(worst->workers, "worker"));
}

}  // namespace

std::vector<ComparisonRow> compare(std::span<const PointResult> predicted,
                                   std::span<const std::vector<PointResult>> measured) {
  std::vector<ComparisonRow> rows;
  for (const Match& point : match(predicted, measured[0])) {
    for (const Quantity& quantity : kQuantities) {
      std::vector<std::optional<double>> figures;
      for (const auto& repeat : measured)
        figures.push_back(repeat[point.measured].summary.*quantity.figure);
      add_row(row_of(measured[0][point.measured].summary, quantity.name),
              predicted[point.predicted].summary.*quantity.figure, figures, rows);
    }
    std::vector<const PointResult*> repeats;
    for (const auto& repeat : measured) repeats.push_back(&repeat[point.measured]);
    add_lost_times(predicted[point.predicted], repeats, rows);
  }
  return rows;
}

std::vector<ComparisonRow> compare_members(std::span<const PointResult> predicted,
                                           std::span<const std::vector<PointResult>> measured) {
  std::vector<ComparisonRow> rows;
  for (const Match& point : match(predicted, measured[0])) {
    const PointResult& simulated = predicted[point.predicted];
    const PointResult& real = measured[0][point.measured];
    std::size_t members = simulated.members.size();  // of those that are there at the end
    for (const auto& repeat : measured)
      members = std::min(members, repeat[point.measured].members.size());
    for (std::size_t rank = 0; rank < members; ++rank) {
      const MemberSummary prediction = summarize(simulated.scenario, simulated.members[rank]);
      std::vector<MemberSummary> repeats;
      for (const auto& repeat : measured)
        repeats.push_back(
            summarize(repeat[point.measured].scenario, repeat[point.measured].members[rank]));
      for (const MemberQuantity& quantity : kMemberQuantities) {
        ComparisonRow row = row_of(real.summary, quantity.name);
        row.rank = static_cast<int>(rank);
        row.role = real.members[rank].is_server ? "server" : "worker";
        row.host = host_of(real, rank);
        std::vector<std::optional<double>> figures;
        figures.reserve(repeats.size());
        for (const MemberSummary& repeat : repeats) figures.push_back(repeat.*quantity.figure);
        add_row(std::move(row), prediction.*quantity.figure, figures, rows);
      }
    }
  }
  return rows;
}

std::string to_csv(const std::vector<ComparisonRow>& rows) {
  std::string csv = csv_line(joined({"algorithm", "model", "workers"}, kFigureColumns));
  for (const ComparisonRow& row : rows)
    csv += csv_line(
        joined({row.algorithm, row.model, std::to_string(row.workers)}, figure_cells(row)));
  return csv;
}

std::string members_csv(const std::vector<ComparisonRow>& rows) {
  std::string csv = csv_line(
      joined({"algorithm", "model", "workers", "rank", "role"}, joined(kFigureColumns, {"host"})));
  for (const ComparisonRow& row : rows)
    csv += csv_line(joined(
        {row.algorithm, row.model, std::to_string(row.workers), std::to_string(row.rank), row.role},
        joined(figure_cells(row), {row.host})));
  return csv;
}

std::string format_table(const std::vector<ComparisonRow>& rows,
                         const std::vector<ComparisonRow>& members) {
  std::vector<std::vector<std::string>> cells;
  std::vector<std::string> devices;
  for (const ComparisonRow& row : rows) {
    devices.push_back(row.device);
    const std::optional<Shown> as = shown(row);
    if (!as) continue;
    cells.push_back({row.model, row.algorithm, as->name, std::to_string(row.workers),
                     four_digits(row.predicted / as->unit), four_digits(row.measured / as->unit),
                     row.error_percent ? fmt::format("{:+.1f} %", *row.error_percent) : "-"});
  }
  return text_table({"model", "algorithm", "quantity", "N", "predicted", "measured", "error"},
                    cells, 3) +
         mean_error(rows, "iteration_s", "iteration_s", "point") +
         mean_error(rows, "speedup", "speedup", "point") + members_note(members) + scatter(rows) +
         paced_note(devices);
}

}  // namespace tandem
