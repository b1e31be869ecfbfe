#pragma once

#include <string>
#include <vector>

#include "core/scenario/scenario.h"

namespace tandem {

/// The points with a baseline before the first point of each group that lacks one: a single worker
/// without communication, for speed-ups to be measured against. A group is what shares model, data,
/// batch size, platform, device and its speed; it needs a baseline where it has more than one
/// worker count. A single worker that has nobody to talk to (none, or an all-reduce of one) is one
/// already.
std::vector<Scenario> with_baselines(const std::vector<Scenario>& points);

/// The baseline of a point.
Scenario baseline_of(Scenario point);

/// The first points that take the most hosts, and have the most members, workers or servers, of
/// each platform and device, in the order of the points: where these find room, all do.
std::vector<std::size_t> widest_points(const std::vector<Scenario>& points);

/// The point for its times alone: iterations repeat, so at most 20 of them, but whole periods, in
/// which what is sent now and then is sent; without payload and tests of accuracy.
Scenario timed(Scenario scenario);

/// "resnet50, ring, 4 workers".
std::string label_of(const Scenario& point);

}  // namespace tandem
