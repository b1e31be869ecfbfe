#include "core/record/disturbances.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/record/csv.h"
#include "core/record/json_number.h"
#include "core/record/point_table.h"
#include "core/record/text_table.h"

namespace tandem {
namespace {

std::string percent_of(std::optional<double> share) {
  return share ? fmt::format("{:.1f}", *share * 100) : "-";
}

/// Without what rounding leaves.
std::string seconds_of(Seconds time, Seconds total) {
  constexpr double kRounding = 1e-9;
  return std::abs(time) < kRounding * total ? "0" : four_digits(time);
}

std::vector<std::string> lost_row(const Summary& point, const std::string& cause, Seconds time,
                                  const std::string& compute, const std::string& waiting,
                                  Seconds total) {
  return {point.model,
          with_variant(point.algorithm, point.variant),
          cause,
          std::to_string(point.workers),
          seconds_of(time, total),
          compute,
          waiting,
          percent_of(total > 0 ? time / total : 0)};
}

std::string lost_table(const std::vector<PointResult>& points) {
  std::vector<std::vector<std::string>> rows;
  for (const PointResult& point : points) {
    if (!point.lost || point.lost->causes.empty()) continue;
    const LostTimes& lost = *point.lost;
    rows.push_back(lost_row(point.summary, "undisturbed", lost.undisturbed, "-", "-", lost.total));
    for (const LostTime& each : lost.causes)
      rows.push_back(lost_row(point.summary, each.cause, each.total,
                              seconds_of(each.compute, lost.total),
                              seconds_of(each.waiting, lost.total), lost.total));
  }
  if (rows.empty()) return "";
  return "\nWhere the time of the whole training goes, and what faults add to it\n\n" +
         text_table({"model", "algorithm", "cause", "N", "s", "computing", "waiting", "%"}, rows,
                    3);
}

std::string busiest_links(const std::vector<PointResult>& points) {
  constexpr std::size_t kMostPoints = 12;
  if (points.size() > kMostPoints) return "";
  std::vector<std::vector<std::string>> rows;
  for (const PointResult& point : points) {
    if (point.links.empty()) continue;
    const LinkUsage::Link& link = point.links.links.front();
    rows.push_back({point.summary.model,
                    with_variant(point.summary.algorithm, point.summary.variant), link.name,
                    std::to_string(point.summary.workers), percent_of(point.links.share(link)),
                    percent_of(point.links.peak(link))});
  }
  if (rows.empty()) return "";
  return "\nThe busiest links, in percent of their capacity\n\n" +
         text_table({"model", "algorithm", "link", "N", "mean", "peak"}, rows, 3);
}

using Cells = std::vector<std::string>;

std::vector<Cells> lost_cells(const PointResult& point) {
  std::vector<Cells> rows;
  if (!point.lost) return rows;
  for (const LostTime& each : point.lost->causes)
    rows.push_back({each.cause, csv_number(each.total), csv_number(each.compute),
                    csv_number(each.waiting), csv_number(each.total / point.lost->total)});
  return rows;
}

/// A row a bin of each link.
std::vector<Cells> link_cells(const PointResult& point) {
  std::vector<Cells> rows;
  const LinkUsage& usage = point.links;
  for (const LinkUsage::Link& link : usage.links) {
    for (std::size_t i = 0; i < link.bins.size(); ++i)
      rows.push_back({link.name, csv_number(usage.bin_begin(i)),
                      csv_number(std::min(usage.end, usage.bin_begin(i + 1))),
                      csv_number(link.bins[i]), csv_number(usage.share(link, i))});
  }
  return rows;
}

}  // namespace

std::string lost_csv(const std::vector<PointResult>& points) {
  const std::string rows = point_rows(points, lost_cells);
  return rows.empty() ? ""
                      : point_header({"cause", "lost_s", "compute_s", "waiting_s", "share"}) + rows;
}

std::string links_csv(const std::vector<PointResult>& points) {
  const std::string rows = point_rows(points, link_cells);
  return rows.empty() ? "" : point_header({"link", "begin_s", "end_s", "bytes", "share"}) + rows;
}

std::string topology_csv(const std::vector<PointResult>& points) {
  std::string rows;
  for (std::size_t number = 0; number < points.size(); ++number) {
    const LinkUsage& usage = points[number].links;
    for (const WiredLink& link : usage.wired)
      rows += csv_line({std::to_string(number), link.name, link.from, link.to,
                        csv_number(link.bandwidth), csv_number(link.bytes),
                        csv_number(usage.share(link))});
  }
  if (rows.empty()) return "";
  return csv_line({"point", "link", "from", "to", "bytes_per_s", "bytes", "share"}) + rows;
}

nlohmann::json describe_links(const LinkUsage& usage) {
  nlohmann::json links = nlohmann::json::array();
  for (const LinkUsage::Link& link : usage.links)
    links.push_back({{"link", link.name},
                     {"bandwidth_bytes_per_s", json_number(link.bandwidth)},
                     {"bytes", link.bytes},
                     {"share", json_number(usage.share(link))},
                     {"peak_share", json_number(usage.peak(link))}});
  return {{"bottleneck", usage.links.front().name},
          {"seconds", usage.end},
          {"carrying_links", usage.carriers},
          {"busiest", links}};
}

std::string format_disturbances(const std::vector<PointResult>& points) {
  return lost_table(points) + busiest_links(points);
}

}  // namespace tandem
