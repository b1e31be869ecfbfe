#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/record/recorder.h"
#include "sim/executors/stretches.h"
#include "sim/fabric.h"

namespace tandem {

/// Time that a rank takes to add `bytes` that it received.
using AddingTime = std::function<Seconds(int rank, std::size_t bytes)>;

/// The one rank that sends over a link, and the one that receives; kSeveral where there are more.
struct LinkUsers {
  static constexpr int kSeveral = -1;
  int sender;
  int receiver;

  void join(const LinkUsers& other) {
    if (sender != other.sender) sender = kSeveral;
    if (receiver != other.receiver) receiver = kSeveral;
  }
  /// A rank's rounds follow one another, so its messages of two rounds never meet.
  bool may_meet() const { return sender == kSeveral && receiver == kSeveral; }
};

struct LinkBytes {
  int link;
  double bytes;
};

/// What a collective takes on a network, without simulating its messages. There are two cases in
/// which that can be told exactly:
///
/// - `kApart`: no link is used by two messages at once, so every message has its path to itself,
///   and a recurrence over the rounds in max-plus algebra gives what simulating would: a message
///   starts when both sides have entered the round, takes latency + bytes / bandwidth, and a round
///   ends with its last message and the adding. Any arrivals; a straggler stays one. A link is
///   known for one when all that crosses it has one sender, or one receiver, and that rank has no
///   two such messages in a round.
/// - `kInStep`: links are shared, but in each round all pairs have the same latency and the same
///   fair share of their narrowest link, so ranks that arrive together stay together. With equal
///   smallest shares, that share is what max-min fairness gives (every flow then crosses a full
///   link), and a round takes latency + bytes / share and the adding. Pieces that differ by an
///   element count as the larger, unless that is more than kUneven of a round's time.
///
/// Rounds are asked for by stretches of like ones (Stretch). Up to kOneByOne of them all, over all
/// ranks, an `kApart` collective's are gone through one by one; of more, like rounds cost what
/// their largest piece does, by an element too much at times, unless that is more than kUneven of a
/// message's time. Once a round has put off all ranks by the same, so will all that are like it: it
/// has found an eigenvector of its max-plus matrix (Baccelli et al., "Synchronization and
/// linearity", 1992, section 3.2.4).
class CollectivePlan {
 public:
  enum class Kind { kApart, kInStep };

  static constexpr long kOneByOne = 1L << 18;
  static constexpr double kUneven = 1e-3;

  /// `schedules` belong to one collective; they are asked for their rounds, one after the other.
  /// `fabric` has to outlive it.
  CollectivePlan(Schedules schedules, std::size_t element_bytes, Fabric& fabric,
                 const AddingTime& adding_time);

  /// Why neither case holds; empty where one does.
  const std::optional<std::string>& refusal() const { return refusal_; }
  Kind kind() const { return kind_; }
  /// Why this kind, for the result.
  std::string reason() const;
  /// A link on which a message of this collective may meet one of `other`, where ranks begin the
  /// one before all have ended the other; nothing where there is none. Requires kApart of both.
  std::optional<std::string> shared_with(const CollectivePlan& other) const;
  /// What each rank sends and receives.
  const std::vector<Traffic>& traffic() const { return traffic_; }

  /// What goes over each link, by Fabric::loads().
  const std::vector<LinkBytes>& link_bytes() const { return link_bytes_; }

  /// When each rank is done, from when each arrived. Requires no refusal, and for kInStep equal
  /// arrivals.
  std::vector<Seconds> finish_times(Schedules schedules, std::span<const Seconds> arrivals) const;

 private:
  struct Edge {
    int peer;
    const Path* path;
    double bytes = 0;  ///< of all rounds
  };
  struct Message {
    int source, destination;
    Seconds time;
  };
  /// Like rounds: what is sent in each, and how long each rank adds then; empty where none does.
  struct Step {
    int rounds = 0;
    std::vector<Message> messages;
    std::vector<Seconds> adding;
  };

  void check_pairs(Schedules schedules, Fabric& fabric);
  void check_stretch(int k, const Stretches& stretches, Fabric& fabric);
  bool is_even(const Stretches& stretches) const;
  void add_edge(int source, int destination, Fabric& fabric);
  void check_one_at_a_time(int rank, const Round& round, Fabric& fabric);
  const Path& path(int source, int destination) const;
  void count(int source, int destination, std::size_t elements, int messages);
  void count_links();
  void fill(Step& step, const Stretches& stretches) const;
  static void go_through(const Step& step, std::vector<Seconds>& now);

  void check_in_step(Schedules schedules, Fabric& fabric);
  /// What a round takes whose pieces are all of `elements`. Adding costs all ranks the same.
  Seconds time_in_step(const Stretches& stretches, std::size_t elements) const;
  bool check_members_alike(int k, const Stretches& stretches);
  bool check_shares_alike(const Stretches& stretches, Fabric& fabric);

  std::size_t element_bytes_;
  AddingTime adding_time_;
  bool one_by_one_;
  std::vector<std::vector<Edge>> edges_;  ///< by source
  /// Who sends, and who receives, over each link.
  std::unordered_map<const simgrid::s4u::Link*, LinkUsers> users_;
  std::string shared_link_;  ///< one that two messages may use at once; empty where there is none
  std::vector<Traffic> traffic_;
  std::vector<LinkBytes> link_bytes_;
  Kind kind_ = Kind::kApart;
  std::optional<std::string> refusal_;
  Seconds duration_ = 0;  ///< kInStep
  Path path_;             ///< kInStep, any of the round at hand
  double share_ = 0;
};

}  // namespace tandem
