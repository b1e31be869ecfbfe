#include "core/command/tuning.h"

#include "core/base/error.h"

namespace tandem {
namespace {

class Descent {
 public:
  Descent(const TuningSpace& space, const MeasurePicks& measure)
      : space_(space), measure_(measure), own_(space.values.size(), 0) {}

  Tuned run() {
    measure_all({own_, space_.standard});
    if (!time(own_)) throw InputError("the scenario can't be simulated as it is written");
    best_ = own_;
    if (is_worth_more(space_.standard, best_)) best_ = space_.standard;
    while (descend()) continue;
    while (put_back()) continue;
    for (const Picks& safe : {own_, space_.standard})
      if (time(safe) && *time(safe) < *time(best_)) best_ = safe;
    return {.best = best_, .without = ablated(), .trials = trials_};
  }

 private:
  void measure_all(const std::vector<Picks>& wanted) {
    std::vector<Picks> unknown;
    for (const Picks& picks : wanted)
      if (trials_.try_emplace(picks).second) unknown.push_back(picks);
    if (unknown.empty()) return;
    const auto times = measure_(unknown);
    for (std::size_t i = 0; i < unknown.size(); ++i) trials_[unknown[i]] = times[i];
  }

  std::optional<double> time(const Picks& picks) const { return trials_.at(picks); }

  bool is_worth_more(const Picks& picks, const Picks& than) const {
    return time(picks) && *time(picks) < *time(than) * (1 - kWorthwhile);
  }

  static Picks with(Picks picks, std::size_t choice, std::size_t value) {
    picks[choice] = value;
    return picks;
  }

  /// One pass over the choices; whether it changed any.
  bool descend() {
    bool changed = false;
    for (std::size_t choice = 0; choice < own_.size(); ++choice) {
      std::vector<Picks> candidates;
      for (std::size_t value = 0; value < space_.values[choice]; ++value)
        candidates.push_back(with(best_, choice, value));
      measure_all(candidates);
      Picks fastest = best_;
      for (const Picks& picks : candidates)
        if (time(picks) && *time(picks) < *time(fastest)) fastest = picks;
      if (!is_worth_more(fastest, best_)) continue;
      best_ = fastest;
      changed = true;
    }
    return changed;
  }

  /// Whether there was a value of another's that is not worthwhile.
  bool put_back() {
    for (std::size_t choice = 0; choice < own_.size(); ++choice) {
      if (best_[choice] == 0) continue;
      const Picks without = with(best_, choice, 0);
      measure_all({without});
      if (!time(without) || is_worth_more(best_, without)) continue;
      best_ = without;
      return true;
    }
    return false;
  }

  std::map<std::size_t, std::optional<double>> ablated() {
    std::vector<Picks> wanted;
    for (std::size_t choice = 0; choice < own_.size(); ++choice)
      if (best_[choice] != 0) wanted.push_back(with(best_, choice, 0));
    measure_all(wanted);
    std::map<std::size_t, std::optional<double>> without;
    for (std::size_t choice = 0; choice < own_.size(); ++choice)
      if (best_[choice] != 0) without[choice] = time(with(best_, choice, 0));
    return without;
  }

  const TuningSpace& space_;
  const MeasurePicks& measure_;
  const Picks own_;
  Picks best_;
  std::map<Picks, std::optional<double>> trials_;
};

}  // namespace

Tuned tune(const TuningSpace& space, const MeasurePicks& measure) {
  return Descent(space, measure).run();
}

}  // namespace tandem
