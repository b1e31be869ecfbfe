#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <vector>

namespace tandem {

/// Of each choice, the number of the value that is taken; value 0 is the scenario's own.
using Picks = std::vector<std::size_t>;

/// What is to be tuned: how many values each choice has, and the values that tandem takes where a
/// scenario says nothing.
struct TuningSpace {
  std::vector<std::size_t> values;
  Picks standard;
};

/// Tells the time of an iteration with each of some picks; nothing where these can't be run.
using MeasurePicks = std::function<std::vector<std::optional<double>>(const std::vector<Picks>&)>;

/// What was found.
struct Tuned {
  Picks best;
  /// Of every choice of which `best` takes another value than the scenario's: the time with that
  /// one put back; nothing where this can't be run.
  std::map<std::size_t, std::optional<double>> without;
  std::map<Picks, std::optional<double>> trials;  ///< all times that were asked for

  double time(const Picks& picks) const { return *trials.at(picks); }
};

/// A value counts as faster where it takes this share off the time; else the scenario's own stays.
inline constexpr double kWorthwhile = 0.01;

/// Coordinate descent: begins with the scenario's own values or with tandem's, whichever are
/// faster, then tries every value of one choice after the other and takes the fastest, until no
/// single change is worthwhile any more; then puts back what is not. The result takes no longer
/// than the scenario's own values or tandem's. Throws InputError where the scenario's own can't be
/// run.
Tuned tune(const TuningSpace& space, const MeasurePicks& measure);

}  // namespace tandem
