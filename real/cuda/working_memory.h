#pragma once

#include <map>
#include <memory>
#include <vector>

#include "real/cuda/engine.h"

namespace tandem::cuda {

/// Keeps a stretch of working memory from being given to anyone else.
using Lease = std::shared_ptr<std::byte>;

/// The GPU memory of a network, planned while it is built: what is leased shares no byte with what
/// else is leased at that moment of building, and since building walks the layers as a pass will,
/// and all that uses it is in one queue, neither does it when they run. Memory whose lease has
/// ended stays valid, and belongs to the next in the walk. A pass allocates nothing.
class WorkingMemory {
 public:
  /// `engine` must outlive it.
  explicit WorkingMemory(Engine& engine) : engine_(engine) {}

  /// At least `bytes`, aligned to 256: a free stretch of at most twice the size, else new memory.
  Lease lease(std::size_t bytes);
  /// Memory for as long as this lives.
  std::byte* allocate(std::size_t bytes);

 private:
  using Free = std::multimap<std::size_t, std::byte*>;

  Engine& engine_;
  std::shared_ptr<Free> free_ = std::make_shared<Free>();  ///< outlives the leases
  std::vector<Storage> chunks_;
};

}  // namespace tandem::cuda
