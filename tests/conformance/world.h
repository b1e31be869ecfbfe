#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "core/comm/worker.h"

namespace tandem {

/// A backend, as the conformance suite sees it: something that runs a job. Each backend's test
/// executable links one.
class World {
 public:
  virtual ~World() = default;
  /// Whether it can run a job of so many ranks (under mpirun, only of the world's size).
  virtual bool supports(int ranks) const = 0;
  /// Whether this process has rank 0 (under mpirun, one process only).
  virtual bool has_first() const { return true; }
  /// Runs `member` once a rank and returns when all have ended. Test assertions inside members
  /// count; an exception that leaves a member fails the test, and so does a message that is left
  /// over. A simulated member lives on the host of its index in `hosts`, where that is not empty.
  virtual void run(int ranks, const std::function<void(Worker&)>& member,
                   const std::vector<int>& hosts = {}) = 0;
};

std::unique_ptr<World> make_world();

}  // namespace tandem
