#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/network/message_costs.h"

namespace tandem {

/// The calibration beside a platform file that `tandem calibrate` writes.
inline constexpr const char* kCalibrationFile = "calibration.yaml";

/// What `tandem calibrate` found of a network and the hosts on it that a platform file has no place
/// for. A platform names its calibration's file in a property `calibration` of its outermost zone.
struct Calibration {
  std::string source;     ///< how it was measured, one line
  MessageCosts messages;  ///< between the platform's first two hosts, both ways at once
  /// Messages of so many bytes or fewer are sent without asking whether the receiver is there
  /// (eagerly). 0: none.
  std::size_t eager_bytes = 0;
  /// A connection has so many of its bytes in its host's queue at most, and no more than leave it
  /// in `queue_wait`: two trains of packets. Messages that are sent eagerly leave the host three
  /// whole trains at a time, in turns, and a last, shorter one in a turn of its own; so do, where
  /// `queue_wait` is known, those between two members of no more bytes than these. The others, to
  /// several hosts, share its wire. 0: no limit of its own.
  std::size_t queued_bytes = 0;
  /// What a few bytes wait in their host's queue behind what another of its connections sends as
  /// fast as it can. Larger messages than `eager_bytes` are announced by such, and go when they are
  /// answered by such. None: it is not known, and taken for 0.
  std::optional<Seconds> queue_wait = {};
  double adding_bandwidth =
      kForever;  ///< bytes/s that a host adds up of what a collective receives
  /// What an all-reduce of so many bytes takes two workers that do it in the memory of a host that
  /// they share, as all workers on the platform then do. Empty: they exchange messages.
  MessageCosts in_memory;
  bool does_collectives_in_memory() const { return !in_memory.segments().empty(); }
  /// Of each second of that, what a worker loses of what it computes meanwhile: they share
  /// processors and memory.
  double compute_lost = 0;
  /// `messages` were fitted to the second; the first are up to 1 MiB.
  std::vector<MessageSample> one_way, exchange;
  std::vector<MessageSample> all_reduce;  ///< what `in_memory` was fitted to

  /// Throws InputError (file:line:column) for a malformed file.
  static Calibration load(const std::filesystem::path& file);
  /// What says little, as on a machine that is busy with something else: figures whose samples
  /// scatter widely, which fall where they have to grow, which are far from their fit, or which
  /// could not be measured. Which, and by how much, a line each.
  std::vector<std::string> doubts() const;
  /// YAML, with every sample beside its fit, and the doubts as comments.
  std::string text() const;
};

}  // namespace tandem
