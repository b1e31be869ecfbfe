#pragma once

#include <functional>
#include <vector>

#include "core/comm/worker.h"
#include "core/network/calibration.h"
#include "core/network/message_costs.h"

namespace tandem::mpi {

/// What messages of different sizes take between rank 0 and rank 1.
struct MessageTimes {
  std::vector<MessageSample> one_way;   ///< half a round trip, up to 1 MiB
  std::vector<MessageSample> exchange;  ///< both ways at once, each after a rest
  std::vector<MessageSample> sending;   ///< of one way until the sender's call returned
  std::vector<MessageSample> asleep;    ///< one way to a rank that sleeps, of small messages
  std::vector<MessageSample> pairs;     ///< two that leave together, until a byte comes back
};

/// Rounds of all sizes: a machine is faster and slower from minute to minute, and so are all sizes
/// alike if they take turns.
inline constexpr int kRounds = 4;

/// Which messages, and how often.
struct MessagePlan {
  int rounds = kRounds;         ///< of all sizes
  std::size_t eager_bytes = 0;  ///< up to which messages are sent without asking
  std::size_t largest = kLargestMessage;
  Seconds longest = 0.5;  ///< no larger ones are sent than the first whose exchange takes so long
  bool only_one_way = false;  ///< leaves out `exchange`, `asleep` and `pairs`
};

/// Collective over `worker`'s job. Returns the samples on rank 0, nothing elsewhere. Large messages
/// are repeated as often as a round's time allows, and some times at least. `progress` gets what
/// share is done, after each size.
MessageTimes measure_messages(Worker& worker, const MessagePlan& plan,
                              const std::function<void(double share)>& progress);

/// What all-reduces of 256 B to 64 MiB take rank 0 and rank 1, as MessageTimes' samples and as
/// often in kRounds, where all gradients take `gradient_bytes`.
std::vector<MessageSample> measure_all_reduces(Worker& worker, std::size_t gradient_bytes,
                                               const std::function<void(double share)>& progress);

/// Throws RunError where there are costs of `what`, such as "messages", and larger ones don't take
/// longer.
void require_bandwidth(const MessageCosts& costs, const char* what);

/// The link that a platform without figures of its own states: the latency of the smallest messages
/// and the bandwidth of the largest. Throws RunError where there are no costs, and as
/// require_bandwidth().
NominalLink nominal_link(const MessageCosts& messages);

}  // namespace tandem::mpi
