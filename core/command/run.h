#pragma once

#include "core/command/launcher.h"
#include "core/command/sweep.h"

namespace tandem {

/// The real world: one MPI job of tandem-run a point.
Backend run_backend(const LaunchOptions& launch);

}  // namespace tandem
