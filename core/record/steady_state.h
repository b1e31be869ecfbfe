#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/training/experiment.h"

namespace tandem {

/// How a run of fewer iterations stands for one of more: those of a period repeat themselves, but
/// for warm-up and the very last iteration, after which nothing is sent ahead.
struct SteadyState {
  int iterations = 0;  ///< to simulate, warm-up included
  int period = 1;
  int repeats = 0;  ///< periods that are left out after all of these but the last
};

/// Two iterations a period apart that differ by less than this share of their time are the same.
inline constexpr double kSteadyTolerance = 1e-6;

/// The shortest run that can stand for `iterations`, `warmup` of which come first: three periods,
/// but no fewer iterations than the `needed` ones, as many as fill the last period, and the last
/// one. Nothing where that saves less than half.
std::optional<SteadyState> steady_state(int iterations, int warmup, int period, int needed = 0);

/// Whether, for every member, each of the period before the last iteration took as long as the one
/// a period earlier, in all, in kernels and waiting.
bool is_steady(const std::vector<MemberResult>& members, const SteadyState& state);

/// Puts in what was left out: times of the members' iterations go on, and what they sent is added.
void extrapolate(std::vector<MemberResult>& members, const SteadyState& state);

}  // namespace tandem
