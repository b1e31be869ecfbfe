#pragma once

#include "core/training/network.h"

namespace tandem {

/// The device that these tests are of: each executable that runs them links one. `threads` counts
/// where its networks compute with threads.
NetworkFactory device_network(int threads = 1);

}  // namespace tandem
