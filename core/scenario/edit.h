#pragma once

#include <string>
#include <vector>

#include "core/scenario/scenario.h"
#include "core/scenario/value.h"

namespace tandem {

/// Puts `value` at a dotted key, making the maps on the way. A name alone on the way (`algorithm:
/// ring`) becomes the map that it is short for. `where` is that of the key. Throws InputError where
/// a list or number is in the way.
void set_at(Value& root, const std::string& key, const std::string& where, Value value);

/// Applies them in turn. A key that the file sweeps is no longer swept; where a key above it is,
/// such as `algorithm` of `algorithm.bucket`, all its values get it; of `iterations` and `epochs`,
/// setting one drops the other. Throws InputError naming the place.
void apply_overrides(Value& root, const std::vector<Override>& overrides);

/// One point of a sweep.
struct SweepPoint {
  Value scenario;       ///< without `sweep`
  std::string variant;  ///< as Scenario::variant
};

/// The points of a sweep: of a map of lists the cross product, the last axis fastest; of a list of
/// maps one point a map; one where there is no sweep. Throws InputError for a sweep that is
/// neither.
std::vector<SweepPoint> expand_sweep(const Value& root);

}  // namespace tandem
