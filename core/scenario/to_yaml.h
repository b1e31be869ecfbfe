#pragma once

#include <string>

#include "core/scenario/scenario.h"

namespace tandem {

/// A scenario file of the point, but for what is so by default: a key a line, maps and lists in
/// braces.
/// load_scenario() reads it back to the same point.
std::string to_yaml(const Scenario& scenario);

}  // namespace tandem
