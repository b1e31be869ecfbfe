#pragma once

#include "core/base/seconds.h"

namespace tandem {

/// A rank that waits looks for messages for so long after something happened. Then it sleeps until
/// a connection has something.
inline constexpr Seconds kStaysAwake = 100e-6;

}  // namespace tandem
