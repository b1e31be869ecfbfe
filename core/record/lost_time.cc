#include "core/record/lost_time.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace tandem {

RunTime run_time(const std::vector<MemberResult>& members) {
  RunTime sum;
  double workers = 0;
  for (const MemberResult& member : members) {
    if (member.is_server || member.iterations.empty()) continue;
    workers += member.count;
    sum.total += member.count * member.iterations.back().end;
    for (const IterationRecord& iteration : member.iterations) {
      sum.compute += member.count * iteration.compute;
      sum.waiting += member.count * iteration.exposed;
    }
  }
  if (workers == 0) return {};
  return {sum.total / workers, sum.compute / workers, sum.waiting / workers};
}

void LostTimes::add(const std::string& cause, const RunTime& before, const RunTime& with) {
  causes.push_back({.cause = cause,
                    .total = with.total - before.total,
                    .compute = with.compute - before.compute,
                    .waiting = with.waiting - before.waiting});
  total += causes.back().total;
}

void LostTimes::add_stop(const std::string& cause, Seconds time) {
  if (time == 0) return;
  causes.push_back({.cause = cause, .total = time});
  total += time;
}

LostTimes mean_of(const std::vector<LostTimes>& runs) {
  LostTimes mean;
  const auto count = static_cast<double>(runs.size());
  for (const LostTimes& run : runs) {
    mean.total += run.total / count;
    mean.undisturbed += run.undisturbed / count;
    for (const LostTime& each : run.causes) {
      auto known = std::ranges::find(mean.causes, each.cause, &LostTime::cause);
      if (known == mean.causes.end())
        known = mean.causes.insert(mean.causes.end(), {.cause = each.cause});
      known->total += each.total / count;
      known->compute += each.compute / count;
      known->waiting += each.waiting / count;
    }
  }
  return mean;
}

nlohmann::json to_json(const LostTimes& times) {
  nlohmann::json causes = nlohmann::json::array();
  for (const LostTime& each : times.causes)
    causes.push_back({{"cause", each.cause},
                      {"seconds", each.total},
                      {"compute_seconds", each.compute},
                      {"waiting_seconds", each.waiting}});
  return {{"total_seconds", times.total},
          {"undisturbed_seconds", times.undisturbed},
          {"causes", causes}};
}

LostTimes lost_times_from_json(const nlohmann::json& source) {
  LostTimes times{.total = source.at("total_seconds"),
                  .undisturbed = source.at("undisturbed_seconds"),
                  .causes = {}};
  for (const nlohmann::json& each : source.at("causes"))
    times.causes.push_back({each.at("cause"), each.at("seconds"), each.at("compute_seconds"),
                            each.at("waiting_seconds")});
  return times;
}

}  // namespace tandem
