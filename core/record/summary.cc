#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <span>

#include "core/base/median.h"
#include "core/record/csv.h"
#include "core/record/json_number.h"
#include "core/record/point_result.h"

namespace tandem {
namespace {

/// The columns of summary.csv: calls visit(name, field) for each, in order.
template <typename SummaryType, typename Visit>
void visit_columns(SummaryType& s, const Visit& visit) {
  visit("scenario", s.scenario);
  visit("world", s.world);
  visit("platform", s.platform);
  visit("device", s.device);
  visit("model", s.model);
  visit("dataset", s.dataset);
  visit("algorithm", s.algorithm);
  visit("workers", s.workers);
  visit("batch_size", s.batch_size);
  visit("iterations", s.iterations);
  visit("iteration_s", s.iteration_s);
  visit("compute_s", s.compute_s);
  visit("exposed_communication_s", s.exposed_communication_s);
  visit("all_reduce_bound_s", s.all_reduce_bound_s);
  visit("images_per_s", s.images_per_s);
  visit("speedup", s.speedup);
  visit("efficiency", s.efficiency);
  visit("sent_bytes_per_worker", s.sent_bytes_per_worker);
  visit("received_bytes_per_worker", s.received_bytes_per_worker);
  visit("server_sent_bytes", s.server_sent_bytes);
  visit("server_received_bytes", s.server_received_bytes);
  visit("packets_sent", s.packets_sent);
  visit("packets_received", s.packets_received);
  visit("peak_memory_bytes", s.peak_memory_bytes);
  visit("loss", s.loss);
  visit("accuracy", s.accuracy);
  visit("final_weights_hash", s.final_weights_hash);
  visit("variant", s.variant);
  visit("repeats", s.repeats);
  visit("iteration_s_low", s.iteration_s_low);
  visit("iteration_s_high", s.iteration_s_high);
  visit("images_per_s_low", s.images_per_s_low);
  visit("images_per_s_high", s.images_per_s_high);
  visit("speedup_low", s.speedup_low);
  visit("speedup_high", s.speedup_high);
  visit("total_s", s.total_s);
  visit("lost_s", s.lost_s);
  visit("skipped_steps", s.skipped_steps);
}

std::string cell(const std::string& text) {
  return text;
}
std::string cell(int number) {
  return std::to_string(number);
}
std::string cell(std::optional<double> number) {
  return csv_number(number);
}

void read(const nlohmann::json& json, std::string& field) {
  field = json;
}
void read(const nlohmann::json& json, int& field) {
  field = json;
}
void read(const nlohmann::json& json, std::optional<double>& field) {
  field = number_from(json);
}

nlohmann::json write(const std::string& field) {
  return field;
}
nlohmann::json write(int field) {
  return field;
}
nlohmann::json write(std::optional<double> field) {
  return json_number(field);
}

double mean(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

/// The means of as many values at a time as a period has; what does not fill a last one is left
/// out, unless it is all.
std::vector<double> means_of_periods(const std::vector<double>& values, std::size_t period) {
  std::vector<double> means;
  const std::size_t length = std::min(period, values.size());
  for (std::size_t first = 0; length > 0 && first + length <= values.size(); first += length) {
    means.push_back(mean(std::span(values).subspan(first, length)));
  }
  return means;
}

/// Members of one role and what can be said of their timed iterations.
class Members {
 public:
  using Figure = std::function<double(const IterationRecord&)>;

  Members(const std::vector<MemberResult>& members, bool servers, int warmup) : warmup_(warmup) {
    for (const MemberResult& member : members) {
      if (member.is_server == servers) add(member);
    }
    leave_out_what_is_not_there();
  }

  Members(const MemberResult& member, int warmup) : warmup_(warmup) {
    add(member);
    leave_out_what_is_not_there();
  }

  bool empty() const { return members_.empty(); }

  std::size_t timed() const {
    const std::size_t all = empty() ? 0 : members_.front()->iterations.size();
    return all - std::min(all, static_cast<std::size_t>(warmup_));
  }

  /// The mean over members, by timed iteration.
  std::vector<double> means(const Figure& figure) const {
    std::vector<double> means(timed(), 0);
    for (const MemberResult* member : members_) {
      for (std::size_t i = 0; i < means.size(); ++i) {
        means[i] += member->count * figure(member->iterations[warmup_ + i]) / count_;
      }
    }
    return means;
  }

  /// Of the last iteration, the mean over the members that have one: in a pipeline, its last stage.
  std::optional<double> last_loss() const {
    if (timed() == 0) return std::nullopt;
    double sum = 0;
    int count = 0;
    for (const MemberResult* member : members_) {
      const std::optional<double>& loss = member->iterations.back().loss;
      if (!loss) continue;
      sum += member->count * *loss;
      count += member->count;
    }
    return count > 0 ? std::optional(sum / count) : std::nullopt;
  }

  /// The total over timed iterations and members.
  std::optional<double> sum(std::uint64_t Traffic::*count) const {
    if (empty()) return std::nullopt;
    double total = 0;
    for (const MemberResult* member : members_) {
      for (std::size_t i = warmup_; i < member->iterations.size(); ++i) {
        total += static_cast<double>(member->iterations[i].traffic.*count);
      }
    }
    return total;
  }

  /// The same, a mean over members.
  std::optional<double> mean(std::uint64_t Traffic::*count) const {
    if (empty()) return std::nullopt;
    return *sum(count) / count_;
  }

  std::optional<double> peak_memory() const {
    std::uint64_t peak = 0;
    for (const MemberResult* member : members_) peak = std::max(peak, member->peak_memory_bytes);
    return peak > 0 ? std::optional<double>(static_cast<double>(peak)) : std::nullopt;
  }

 private:
  void add(const MemberResult& member) {
    members_.push_back(&member);
    count_ += member.count;
  }
  // A job that went on from other members' checkpoint has no record of its first iterations.
  void leave_out_what_is_not_there() {
    if (!empty()) warmup_ = std::max(0, warmup_ - members_.front()->first_iteration);
  }

  std::vector<const MemberResult*> members_;
  double count_ = 0;  ///< with those that they stand for
  int warmup_;
};

/// The times that Summary and MemberSummary both have.
template <typename AnySummary>
void fill_times(AnySummary& summary, const Scenario& scenario, const Members& workers) {
  const auto typical = [&](const Members::Figure& figure) -> std::optional<double> {
    std::vector<double> means =
        means_of_periods(workers.means(figure), static_cast<std::size_t>(scenario.period()));
    if (means.empty()) return std::nullopt;
    return scenario.faults.skews_times() ? mean(means) : median(std::move(means));
  };
  summary.iteration_s = typical([](const IterationRecord& i) { return i.end - i.begin; });
  summary.compute_s = typical([](const IterationRecord& i) { return i.compute; });
  summary.exposed_communication_s = typical([](const IterationRecord& i) { return i.exposed; });
}

void fill_rates(Summary& summary, const Scenario& scenario, const Members& workers) {
  summary.iterations = static_cast<int>(workers.timed());
  if (summary.iteration_s && *summary.iteration_s > 0) {
    summary.images_per_s = scenario.samples_per_iteration() / *summary.iteration_s;
  }
  summary.loss = workers.last_loss();
}

void fill_traffic(Summary& summary, const Members& workers, const Members& servers) {
  summary.sent_bytes_per_worker = workers.mean(&Traffic::sent_bytes);
  summary.received_bytes_per_worker = workers.mean(&Traffic::received_bytes);
  summary.server_sent_bytes = servers.sum(&Traffic::sent_bytes);
  summary.server_received_bytes = servers.sum(&Traffic::received_bytes);
  if (summary.world == "simulated") {
    summary.packets_sent = workers.mean(&Traffic::sent_packets);
    summary.packets_received = workers.mean(&Traffic::received_packets);
  }
}

}  // namespace

std::string Summary::label() const {
  return model + ", " + algorithm + (variant.empty() ? "" : ", " + variant) + ", " +
         std::to_string(workers) + (workers == 1 ? " worker" : " workers");
}

Summary summarize(const Scenario& scenario, const std::string& world, const std::string& platform,
                  const std::string& device, const std::vector<MemberResult>& members) {
  Summary summary;
  summary.scenario = scenario.name;
  summary.world = world;
  summary.platform = platform;
  summary.device = device;
  summary.model = scenario.model.name;
  summary.dataset = scenario.data.name;
  summary.algorithm = scenario.algorithm.label();
  summary.workers = scenario.workers;
  summary.batch_size = scenario.batch_size;
  summary.variant = scenario.variant;
  const Members workers(members, false, scenario.warmup_iterations);
  const Members servers(members, true, scenario.warmup_iterations);
  fill_times(summary, scenario, workers);
  fill_rates(summary, scenario, workers);
  fill_traffic(summary, workers, servers);
  summary.peak_memory_bytes = workers.peak_memory();
  for (const MemberResult& member : members) {
    if (!member.evaluations.empty()) summary.accuracy = member.evaluations.back().accuracy;
    if (member.rank > 0) continue;
    summary.final_weights_hash = member.weights_hash;
    summary.skipped_steps = member.skipped_steps;  // on which all workers agree
  }
  return summary;
}

MemberSummary summarize(const Scenario& scenario, const MemberResult& member) {
  MemberSummary summary;
  const Members alone(member, scenario.warmup_iterations);
  if (!member.is_server) fill_times(summary, scenario, alone);
  summary.sent_bytes = alone.sum(&Traffic::sent_bytes);
  summary.received_bytes = alone.sum(&Traffic::received_bytes);
  return summary;
}

nlohmann::json to_json(const Summary& summary) {
  nlohmann::json json;
  visit_columns(summary, [&](const char* name, const auto& field) { json[name] = write(field); });
  return json;
}

Summary summary_from_json(const nlohmann::json& json) {
  Summary summary;
  visit_columns(summary, [&](const char* name, auto& field) { read(json.at(name), field); });
  return summary;
}

std::string to_csv(const std::vector<Summary>& rows) {
  std::vector<std::string> header;
  const Summary any;
  visit_columns(any, [&](const char* name, const auto&) { header.emplace_back(name); });
  std::string csv = csv_line(header);
  for (const Summary& row : rows) {
    std::vector<std::string> cells;
    visit_columns(row, [&](const char*, const auto& field) { cells.push_back(cell(field)); });
    csv += csv_line(cells);
  }
  return csv;
}

}  // namespace tandem
