#pragma once

#include <deque>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "core/collectives/collective_marks.h"
#include "sim/executors/executor.h"
#include "sim/executors/plan.h"
#include "sim/member.h"
#include "sim/post_office.h"

namespace tandem {

/// Computes when each rank is done with a collective, once all have started it, instead of
/// simulating its messages. That is no guess: it gives the times of the exact executor, and throws
/// ShortCutFailed with the reason where it can't. It moves no payload.
class FusedExecutor final : public CollectiveExecutor {
 public:
  FusedExecutor(Fabric& fabric, PostOffice& office, const std::vector<Member*>& members);

  void start(int rank, std::unique_ptr<const Schedule> schedule, View view,
             std::shared_ptr<SimOperation> operation) override;
  /// Collectives that `rank` has not started fail with PeerLost.
  void leave(int rank) override;

 private:
  /// A collective that some ranks have started.
  struct Collective {
    explicit Collective(std::size_t ranks)
        : schedules(ranks), arrivals(ranks, 0), operations(ranks), positions(ranks) {}
    std::vector<std::unique_ptr<const Schedule>> schedules;  ///< by rank, as the others
    std::vector<Seconds> arrivals;
    std::vector<std::shared_ptr<SimOperation>> operations;
    std::vector<int> positions;  ///< Span::position
    std::size_t started = 0;
    std::size_t element_bytes = 0;
  };
  /// A plan, and what it last came to: iterations repeat themselves.
  struct Known {
    CollectivePlan plan;
    MessageTime time;
    std::vector<Seconds> arrivals;  ///< before the last of them
    std::vector<Seconds> finishes;  ///< after the last arrival
  };

  void finish(Collective& collective);
  /// Of the first rank, as whose the others' are taken.
  MessageTime time_of(const Schedule& schedule, std::size_t element_bytes);
  Known& known_plan(const Collective& collective);
  const std::vector<Seconds>& finishes_after_last(Known& known, const Collective& collective,
                                                  Seconds last);
  void check_arrivals(const CollectivePlan& plan, const Collective& collective) const;
  void check_overlap(const CollectivePlan& plan, Seconds first_arrival);

  Fabric& fabric_;
  PostOffice& office_;
  const std::vector<Member*>& members_;
  std::vector<std::size_t> next_;       ///< by rank: how many collectives it has started
  std::vector<Seconds> free_at_;        ///< by rank: when its last collective is done
  std::vector<CollectiveMarks> marks_;  ///< by rank
  std::deque<Collective> pending_;      ///< in order; the first is number done_
  std::size_t done_ = 0;
  const CollectivePlan* last_plan_ = nullptr;  ///< of the collective before
  Seconds last_finish_ = 0;                    ///< when all were done with it
  /// Pairs of plans that may overlap without a message of the one meeting one of the other.
  std::set<std::pair<const CollectivePlan*, const CollectivePlan*>> apart_;
  std::vector<int> left_;
  std::map<std::tuple<std::string, std::size_t, std::size_t>, Known> plans_;
};

/// For who asked for it: "simulation.executor: fused ...; use executor: exact".
std::string fused_refusal(const std::string& reason);

}  // namespace tandem
