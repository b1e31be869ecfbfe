#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "core/collectives/sums.h"
#include "sim/fabric.h"
#include "sim/member.h"

namespace tandem {

/// Collectives that workers do in the memory of a host that all of them share, where a calibration
/// says that they do: those after which all ranks have the same (sums_of()). All who take part
/// meet, and all are done after what the calibration says of an all-reduce between two, in
/// proportion to what each reads and writes. Of each second of that a worker loses some of what it
/// computes meanwhile, see SimWorker.
class InMemoryCollectives {
 public:
  /// Both must outlive it.
  InMemoryCollectives(const Fabric& fabric, const std::vector<Member*>& members)
      : is_calibrated_(fabric.calibration().does_collectives_in_memory()),
        costs_(fabric.calibration().in_memory),
        members_(members) {}

  /// Whether it is done so.
  bool has(const Schedule& schedule) {
    return is_calibrated_ && schedule.ranks() > 1 && known(schedule).sums;
  }

  /// Does `rank`'s part, from meeting to parting, in simulated time. `waiter` is of the actor that
  /// calls it. Returns what it takes all of them once they have met. Throws PeerLost where one who
  /// takes part has left before it came.
  Seconds run(int rank, const Schedule& schedule, const View& view, Waiter& waiter);
  /// `rank` has ended.
  void leave(int rank);

 private:
  struct Known {
    std::optional<std::vector<Sum>> sums;
    double share = 0;  ///< of what each of two moves in an all-reduce of as many elements
  };
  struct Meeting {
    explicit Meeting(std::vector<int> ranks)
        : ranks(std::move(ranks)), views(this->ranks.size()), waiters(this->ranks.size()) {}
    std::vector<int> ranks;
    std::vector<View> views;       ///< of those who have come, in the order of `ranks`
    std::vector<Waiter*> waiters;  ///< null of who hasn't come
    std::size_t came = 0;
    Seconds takes = kForever;  ///< known once all have come
    Seconds end = kForever;    ///< as that
  };

  const Known& known(const Schedule& schedule);
  Seconds duration(const Schedule& schedule, std::size_t bytes);
  void require_all_to_come(const Meeting& meeting) const;

  bool is_calibrated_;
  const MessageCosts& costs_;
  const std::vector<Member*>& members_;
  std::map<std::tuple<std::string, int, std::size_t>, Known> known_;
  /// That not all have come to yet, by who takes part: a member has one such at a time.
  std::map<std::vector<int>, std::shared_ptr<Meeting>> meetings_;
  std::set<int> left_;
};

}  // namespace tandem
