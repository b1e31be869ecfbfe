#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/base/spread.h"
#include "core/network/message_costs.h"

namespace tandem {

/// The calibration beside a platform file that `tandem calibrate` writes.
inline constexpr const char* kCalibrationFile = "calibration.yaml";

/// Messages up to that size take what hosts take for them, and hardly longer for their bytes.
inline constexpr std::size_t kSmallMessage = 1024;

/// The largest message that a calibration measures, bytes.
inline constexpr std::size_t kLargestMessage = 16UL << 20U;

/// What of a small message keeps its hosts' processors busy.
struct BusyEnds {
  Seconds sender = 0, receiver = 0;
  double sender_per_byte = 0, receiver_per_byte = 0;  ///< s
  /// Instead of receiver_per_byte where sender and receiver share a processor: on two they copy at
  /// the same time, on one after each other.
  double sharing_receiver_per_byte = 0;  ///< s
};

/// What `tandem calibrate` found of a network and the hosts on it that a platform file has no place
/// for. A platform names its calibration's file in a property `calibration` of its outermost zone.
struct Calibration {
  std::string source;     ///< how it was measured, one line
  MessageCosts messages;  ///< between the platform's first two hosts
  /// Messages of so many bytes or fewer are sent without asking whether the receiver is there
  /// (eagerly). 0: none.
  std::size_t eager_bytes = 0;
  /// A connection's packets leave in trains of so many bytes. 0: nobody says.
  std::size_t train_bytes = 0;
  /// So many bytes of a connection are on their way at most, as many as its receiver's window
  /// holds. 0: nobody says.
  std::size_t window_bytes = 0;
  double adding_bandwidth =
      kForever;  ///< bytes/s that a host adds up of what a collective receives
  /// What an all-reduce of so many bytes takes two workers that do it in the memory of a host that
  /// they share, as all workers on the platform then do. Empty: they exchange messages.
  MessageCosts in_memory;
  bool does_collectives_in_memory() const { return !in_memory.segments().empty(); }
  /// Of each second of that, what a worker loses of what it computes meanwhile: they share
  /// processors and memory.
  double compute_lost = 0;
  /// Half a round trip, up to 1 MiB, and both ways at once: `messages` were fitted to the former
  /// up to `eager_bytes`, and to the latter beyond.
  std::vector<MessageSample> one_way, exchange;
  /// Of `one_way`, up to `eager_bytes`, until the sender was through with its call.
  std::vector<MessageSample> sending = {};
  /// As `one_way`, between two hosts whose ranks share a processor, up to 64 KiB and `eager_bytes`.
  std::vector<MessageSample> one_way_sharing = {};
  /// As `one_way`, to a rank that has waited for so long that it sleeps; small ones.
  std::vector<MessageSample> one_way_asleep = {};
  /// Two messages of a size that leave together, up to `eager_bytes`, and a byte that comes back
  /// once both are there.
  std::vector<MessageSample> pairs = {};
  std::vector<MessageSample> all_reduce;  ///< what `in_memory` was fitted to

  /// Throws InputError (file:line:column) for a malformed file.
  static Calibration load(const std::filesystem::path& file);
  /// What `messages` are fitted to: of what is sent unasked `one_way`, since of an exchange the
  /// rank that begins first waits for the other, and of larger messages `exchange`, since
  /// algorithms send them both ways at once.
  std::vector<MessageSample> samples_to_fit() const;
  /// How messages of up to `bytes` differ in what they take: by the ratio of the quartiles of
  /// `exchange`, in which as in training both ranks send and wait, the median over their sizes.
  /// Empty where nobody measured any.
  Spread spread_up_to(std::size_t bytes) const;
  /// Of messages of up to `bytes`, no more than the measured hosts' wires let through at once, by
  /// `sending` and, for what is left of them, `one_way`; where nobody measured those, half of what
  /// `messages` says of the smallest each. On a processor that both ends share a byte takes as much
  /// longer as it does in `one_way_sharing` than in as large ones of `one_way`.
  BusyEnds busy_up_to(std::size_t bytes) const;
  /// How long a rank that waits for messages keeps its processor before another one may look for
  /// its own: what small messages of `one_way_sharing`, whose sender looks as soon as it has sent,
  /// take longer than those of `one_way`, the median over their sizes. 0 where nobody measured
  /// that.
  Seconds polling_slice() const;
  /// How much longer a small message takes to a rank that sleeps: likewise of `one_way_asleep`.
  Seconds waking() const;
  /// How late the shapers of `link`, which was calibrated, let go what waits for their tokens: what
  /// the second of the largest `pairs` of which one passes at once takes longer than `one_way` and
  /// the tokens that it misses. 0 where nobody measured that.
  Seconds shaper_lateness(const NominalLink& link) const;
  /// What says little, as on a machine that is busy with something else: figures whose samples
  /// scatter widely, which fall where they have to grow, which are far from their fit, or which
  /// could not be measured. Which, and by how much, a line each.
  std::vector<std::string> doubts() const;
  /// YAML, with every sample beside its fit, and the doubts as comments.
  std::string text() const;
};

}  // namespace tandem
