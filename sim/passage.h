#pragma once

namespace tandem {

/// Something on its way over the network, which SimGrid reports the end of.
struct Passage {
  virtual ~Passage() = default;
  /// It arrived, or failed. Called in the kernel, before any actor runs again.
  virtual void ended() = 0;
};

}  // namespace tandem
