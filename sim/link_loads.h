#pragma once

#include <span>
#include <unordered_map>
#include <vector>

#include "core/base/seconds.h"
#include "core/record/link_usage.h"
#include "sim/simgrid_compat.h"

namespace tandem {

/// What went over each link, and when: bytes by bins of time. A message counts evenly from its
/// begin to its end, which is when it really moved where its rate did not change meanwhile. The
/// bins are of equal length, which doubles whenever the simulation outgrows them.
class LinkLoads {
 public:
  /// The number by which add() knows a link.
  int number_of(const simgrid::s4u::Link& link);
  std::vector<int> numbers_of(const std::vector<simgrid::s4u::Link*>& links);
  const simgrid::s4u::Link& link(int number) const { return *loads_[number].link; }

  bool has_carried(const simgrid::s4u::Link& link) const;
  /// Whether that was some of the job's own.
  bool has_carried_for_job(const simgrid::s4u::Link& link) const;
  bool any() const;
  /// Bytes until now.
  double carried(const simgrid::s4u::Link& link) const;

  /// `bytes` went over each of `links` from `begin` to `end`.
  void add(std::span<const int> links, Seconds begin, Seconds end, double bytes);
  void add(int link, Seconds begin, Seconds end, double bytes);
  /// The same, of bytes that are not the job's.
  void add_of_others(std::span<const int> links, Seconds begin, Seconds end, double bytes);

  /// Of the whole run, which lasted until `end`.
  LinkUsage usage(Seconds end) const;

 private:
  static constexpr int kBins = 64;

  struct Load {
    const simgrid::s4u::Link* link;
    double bytes = 0;
    double of_others = 0;  ///< among them
    std::vector<double> bins = {};
  };

  void make_room(Seconds end);
  std::vector<double> capacity(const Load& load, std::size_t bins, Seconds end) const;
  static std::vector<double> within(const std::vector<double>& capacity, const Load& load);
  /// Of its capacity until then; 0 where that has no end.
  static double share_of(const Load& load, Seconds end);
  LinkUsage::Link usage_of(const Load& load, std::size_t bins, Seconds end) const;

  std::vector<Load> loads_;
  std::unordered_map<const simgrid::s4u::Link*, int> numbers_;
  Seconds bin_ = 1e-6;
};

}  // namespace tandem
