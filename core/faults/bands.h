#pragma once

#include <vector>

#include "core/record/point_result.h"

namespace tandem {

/// The share of seeds below a band, and above it.
inline constexpr double kBandTail = 0.1;

/// Makes `summary` that of several runs which differ in their seed: medians of its times and rates,
/// and the band between their 10 % and 90 % quantiles. Of one run nothing changes.
void fill_bands(Summary& summary, const std::vector<Summary>& runs);

}  // namespace tandem
