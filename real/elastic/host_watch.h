#pragma once

#include <functional>
#include <optional>
#include <set>
#include <vector>

#include "core/base/seconds.h"
#include "core/record/journal.h"
#include "real/elastic/probe.h"

namespace tandem::elastic {

/// A job that has not started after that is asked about: are its hosts there?
constexpr Seconds kStartIn = 20;

/// Which members' hosts can't be reached. Those of all are asked where something is wrong; those
/// that gave no answer are asked again now and then, while who asks goes on with other things.
class HostWatch {
 public:
  using Ask = std::function<Probe(const std::vector<int>& members)>;
  using Clock = std::function<Seconds()>;

  explicit HostWatch(Ask ask, Clock now = time_since_1970)
      : ask_(std::move(ask)), now_(std::move(now)) {}

  bool is_missing(int member) const { return missing_.contains(member); }

  /// Whether to look for a job's hosts, which was started at that time and has not begun.
  bool is_late(Seconds started) const;
  /// Those of the members that don't answer, which are missing from now on. Waits for the answers;
  /// nobody is missing where it is interrupted meanwhile.
  std::vector<int> look(const std::vector<int>& members);

  /// Asks those that are missing where it is time to, and hears of those that answer now.
  void look_again();
  void await_answers();  ///< the same, until those who were asked have given theirs
  void ask_no_more() { asked_.reset(); }  ///< those whose answers are still to come

 private:
  const Ask ask_;
  const Clock now_;
  std::set<int> missing_;
  Seconds looked_ = 0;          ///< last; as the next one, since 1970
  Seconds asked_at_ = 0;        ///< anybody, last
  std::optional<Probe> asked_;  ///< of those that are missing, under way
};

}  // namespace tandem::elastic
