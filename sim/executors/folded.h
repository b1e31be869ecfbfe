#pragma once

#include <map>
#include <optional>
#include <string>
#include <tuple>

#include "core/collectives/all_reduce.h"
#include "core/collectives/collective_marks.h"
#include "sim/executors/executor.h"
#include "sim/fabric.h"
#include "sim/member.h"

namespace tandem {

/// What a collective of many like ranks costs, from the part of one: all do alike in each round
/// (Stretch::sent_by_all), over links that are alike, and begin together, so they stay together.
class FoldedPlan {
 public:
  /// `part` is the part of any rank. `fabric` has three of the hosts, all of which are alike.
  FoldedPlan(const Schedule& part, std::size_t element_bytes, Fabric& fabric,
             const MemberDevice& device);

  /// Why ranks can't be taken for alike; empty where they can.
  const std::optional<std::string>& refusal() const { return refusal_; }
  Seconds duration() const { return duration_; }
  /// What that is made of.
  const MessageTime& time() const { return time_; }
  /// Of all ranks together.
  const Traffic& traffic() const { return traffic_; }
  /// Why they stay together, for the result.
  std::string reason() const;

 private:
  double fair_share(const Path& path, Fabric& fabric, int ranks);
  void add(const Stretch& stretch, int ranks, std::size_t element_bytes, const Path& path,
           const MemberDevice& device);

  std::optional<std::string> refusal_;
  Seconds duration_ = 0;
  MessageTime time_;
  Traffic traffic_;
  double share_ = 0;         ///< of the narrowest link, bytes/s
  bool one_by_one_ = false;  ///< as CollectivePlan's
  std::string shared_link_;  ///< that several messages go over at once; empty where there is none
};

/// Runs the collectives of a job whose ranks are all alike, of which only the first is there.
class FoldedExecutor final : public CollectiveExecutor {
 public:
  /// Both must outlive it; `fabric` as FoldedPlan's.
  FoldedExecutor(Fabric& fabric, Member& member) : fabric_(fabric), member_(member) {}

  void start(int rank, std::unique_ptr<const Schedule> schedule, View view,
             std::shared_ptr<SimOperation> operation) override;
  void leave(int) override {}

 private:
  Fabric& fabric_;
  Member& member_;
  Seconds free_at_ = 0;  ///< when its last collective is done
  CollectiveMarks marks_;
  std::map<std::tuple<std::string, std::size_t, std::size_t>, FoldedPlan> plans_;
};

}  // namespace tandem
