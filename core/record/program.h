#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "core/base/seconds.h"
#include "core/comm/kernel.h"

namespace tandem {

class Operation;

/// What a member asked of its worker: to compute, to send or receive a message, or to take part in
/// a collective.
struct Step {
  enum class Kind { kCompute, kSend, kReceive, kCollective };

  Kind kind = Kind::kCompute;
  std::string name = {};       ///< "conv1.forward"; of a collective its schedule's
  Seconds begin = 0;           ///< when it was asked
  Seconds end = 0;             ///< when the kernel was done, or the member had waited for the rest
  double flops = 0;            ///< of a kernel
  double memory_bytes = 0;     ///< of a kernel: reads and writes
  std::uint64_t bytes = 0;     ///< of a message; of a collective's buffer
  int peer = -1;               ///< of a message: the other side
  int tag = 0;                 ///< of a message
  std::vector<int> ranks{};    ///< of a collective of a part of the group: who takes part
  std::uint64_t sent_bytes{};  ///< by this member in a collective
  std::uint64_t received_bytes{};
  /// Steps that had to be done before this could be asked, because the member had computed or
  /// waited for them. By index, all smaller than its own.
  std::vector<std::uint32_t> needs{};
  /// Steps behind which this one waits for its turn.
  std::vector<std::uint32_t> follows{};
};

/// Keeps what a member asks of its worker, in that order, with what each step needs. Called by
/// Worker, on the member's own thread.
class Program {
 public:
  void computed(const Kernel& kernel, Seconds begin, Seconds end);
  /// `operation` is what the backend has of it in flight; null where it was done at once.
  void asked(Step step, const Operation* operation);
  /// The same of a message that takes its turn (Worker::send_in_turn).
  void asked_in_turn(Step step, const Operation* operation);
  /// Whoever it was that sent what `operation` received from any peer is known by now.
  void waited_for(const Operation* operation, int peer, Seconds now);

  const std::vector<Step>& steps() const { return steps_; }

 private:
  std::uint32_t append(Step step);
  void done(std::uint32_t step);

  std::vector<Step> steps_;
  std::map<const Operation*, std::uint32_t> in_flight_;
  /// What the next step needs: the last kernel and what was waited for since. What came before is
  /// needed by these.
  std::vector<std::uint32_t> frontier_;
  std::map<int, std::deque<std::uint32_t>> turns_;  ///< by peer, the last that took turns
  std::vector<std::uint32_t> last_collective_;      ///< none or one: they run one after the other
};

}  // namespace tandem
