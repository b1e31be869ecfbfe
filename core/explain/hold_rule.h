#pragma once

#include "core/explain/attendant.h"
#include "core/scenario/scenario.h"

namespace tandem {

/// What the servers of a scenario go by; empty where none holds answers back.
HoldRule hold_rule(const Scenario& scenario);

}  // namespace tandem
