#pragma once

#include <cstddef>

namespace tandem::mpi {

/// How many bytes leave a TCP connection of this host together, without headers: as many whole
/// segments as fit half of what the kernel lets one have in its host's queue; 0 where it doesn't
/// say.
std::size_t train_bytes();

/// How many bytes may be on their way, before some are acknowledged, of the TCP connection of this
/// process that has sent the most: its receiver's window; 0 where there is none, or the kernel
/// (before Linux 5.4) doesn't say.
std::size_t window_bytes();

}  // namespace tandem::mpi
