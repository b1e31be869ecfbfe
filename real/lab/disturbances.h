#pragma once

#include <list>
#include <map>
#include <string>
#include <vector>

#include "core/base/lock_file.h"
#include "core/record/journal.h"
#include "core/scenario/scenario.h"
#include "real/lab/lab.h"
#include "real/lab/traffic.h"
#include "real/lab/wiring.h"

namespace tandem::lab {

/// Throws InputError where the lab lacks a link or host that the faults of a job name, or one is
/// none that can be done to it.
void require_possible(const Lab& lab, const FaultsSpec& faults);

/// Does to a lab's network what the faults of a job in it say: links of other rates, others'
/// traffic, hosts that are cut off. At its end the network is as it was.
class Disturbances {
 public:
  /// Rank i of the scenario's job is on host places[i]. Notes in `journal` who is cut off and
  /// reached again. Throws InputError where the faults are not possible, or another job disturbs
  /// the lab.
  Disturbances(const Lab& lab, const Scenario& scenario, const std::vector<int>& places,
               Journal journal);
  Disturbances(const Disturbances&) = delete;
  Disturbances& operator=(const Disturbances&) = delete;
  ~Disturbances();

  /// Brings the network in line with what it should be now, of a job that began `began` seconds
  /// after 1970. Throws RunError where it can't be.
  void act(Seconds began);

 private:
  struct Wire {
    WireEnd end;
    std::vector<const LinkFaultSpec*> faults;
    double factor = 1;  ///< of its rate, now
  };
  struct Way {
    int source, destination;                 ///< hosts
    std::list<Connection> connections = {};  ///< now
  };
  /// Of a host.
  struct Partition {
    int host, rank;  ///< one that is on it
    std::vector<const FailSpec*> faults;
    bool is_cut = false;  ///< now
  };

  void find_wires(const LinkFaultSpec& fault);
  void act_on(Wire& wire, Seconds now);
  void act_on(Way& way, std::size_t spec, Seconds now, Seconds began);
  void act_on(Partition& partition, Seconds now);

  const Lab lab_;
  const FaultsSpec faults_;
  const std::uint64_t seed_;
  const Journal journal_;
  LockFile mark_;
  std::vector<Wire> wires_;
  std::vector<Way> ways_;  ///< by TrafficSpec
  std::vector<Partition> partitions_;
};

/// Undoes what disturbances left that could not end: where their process was killed. Throws
/// InputError where it has not ended.
void mend(const Lab& lab);

}  // namespace tandem::lab
