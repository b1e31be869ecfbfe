#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/record/link_usage.h"
#include "core/record/lost_time.h"
#include "core/scenario/scenario.h"
#include "core/training/experiment.h"

namespace tandem {

/// A row of summary.csv. A figure that the run did not measure is empty, never zero. Byte and
/// packet counts are totals over the timed iterations; "per worker" is the mean over workers.
struct Summary {
  std::string scenario, world, platform, device, model, dataset, algorithm;
  int workers = 0;
  int batch_size = 0;
  int iterations = 0;  ///< timed ones
  /// Medians over the timed iterations of the mean over workers.
  std::optional<double> iteration_s, compute_s, exposed_communication_s;
  /// The least time in which the platform could all-reduce the gradients; simulated only.
  std::optional<double> all_reduce_bound_s;
  std::optional<double> images_per_s;
  std::optional<double> speedup, efficiency;  ///< set once the single-worker baseline is known
  std::optional<double> sent_bytes_per_worker, received_bytes_per_worker;
  std::optional<double> server_sent_bytes, server_received_bytes;
  /// Per worker, full-size segments that the messages make; only the simulated world knows them.
  std::optional<double> packets_sent, packets_received;
  std::optional<double> peak_memory_bytes;  ///< the largest over workers
  std::optional<double> loss, accuracy;     ///< loss: mean over workers of the last iteration
  std::string final_weights_hash;
  std::string variant;  ///< as Scenario::variant
  /// Of a simulation of several seeds: how many, and the band that most of them are in; the figures
  /// above are their medians then.
  std::optional<double> repeats;
  std::optional<double> iteration_s_low, iteration_s_high, images_per_s_low, images_per_s_high;
  std::optional<double> speedup_low, speedup_high;
  /// Of a simulation with faults: the whole training, warm-up included, and how much longer it
  /// takes for them.
  std::optional<double> total_s, lost_s;
  /// Of a run that scaled its losses: optimizer steps that were skipped since gradients overflowed,
  /// warm-up included.
  std::optional<double> skipped_steps;

  /// "model, algorithm, workers": what tells a row from the others of a result, for messages.
  std::string label() const;
};

/// What became of one scenario point. A backend's executable writes it as one JSON file, which is
/// all that the `tandem` command reads to write the result folder.
struct PointResult {
  Scenario scenario;
  Summary summary;
  /// By rank; of a large simulation some stand for others that were alike.
  std::vector<MemberResult> members;
  /// World-specific facts for run.json: versions, hosts, network model, executor.
  nlohmann::json environment;
  LinkUsage links = {};                ///< of a simulated platform; empty where it was not recorded
  std::optional<LostTimes> lost = {};  ///< of a simulation with faults

  void save(const std::filesystem::path& file) const;  ///< to a temporary name, then renamed
  /// Reads what save() wrote for `scenario`. Throws RunError where the file is missing or broken.
  static PointResult load(const std::filesystem::path& file, const Scenario& scenario);
};

/// Derives the summary (without speedup and efficiency) from what the members recorded.
Summary summarize(const Scenario& scenario, const std::string& world, const std::string& platform,
                  const std::string& device, const std::vector<MemberResult>& members);

/// Of one member: medians over its timed iterations, as Summary's, and the bytes of all of them.
struct MemberSummary {
  std::optional<double> iteration_s, compute_s, exposed_communication_s;  ///< a worker's only
  std::optional<double> sent_bytes, received_bytes;
};

MemberSummary summarize(const Scenario& scenario, const MemberResult& member);

/// JSON objects keyed by the columns of summary.csv; empty figures are null.
nlohmann::json to_json(const Summary& summary);
Summary summary_from_json(const nlohmann::json& json);

/// Rows under the columns of summary.csv.
std::string to_csv(const std::vector<Summary>& rows);

nlohmann::json to_json(const MemberResult& member);
/// For gathering members' results across processes on machines of one kind.
std::string to_bytes(const MemberResult& member);
MemberResult member_from_bytes(const std::string& bytes);

}  // namespace tandem
