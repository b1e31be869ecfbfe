#pragma once

#include <exception>

#include "core/comm/errors.h"

namespace tandem {

inline bool is_peer_lost(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const PeerLost&) {
    return true;
  } catch (...) {
    return false;
  }
}

/// Keeps in `first` the earliest offered error, preferring any other to a PeerLost, which is only
/// the echo of another member's end. A null `error` changes nothing.
inline void keep_first_cause(std::exception_ptr& first, const std::exception_ptr& error) {
  if (error && (!first || (is_peer_lost(first) && !is_peer_lost(error)))) first = error;
}

}  // namespace tandem
