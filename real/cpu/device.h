#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "core/comm/buffer.h"
#include "real/cpu/onednn.h"

namespace tandem {

/// Keeps a stretch of working memory from being given to anyone else.
using Lease = std::shared_ptr<std::byte>;

/// Working memory that is planned while a network is built: what is leased shares no byte with what
/// else is leased at that moment of building, and since building walks the layers as a pass will,
/// neither does it when they run. Memory whose lease has ended stays valid, and belongs to the next
/// in the walk.
class WorkingMemory {
 public:
  /// At least `bytes`, 64-byte aligned.
  Lease lease(std::size_t bytes);

 private:
  struct Free {
    std::multimap<std::size_t, std::byte*> by_size;
  };
  std::shared_ptr<Free> free_ = std::make_shared<Free>();  ///< outlives the leases
  std::vector<Buffer> chunks_;
};

/// A oneDNN engine and stream with the working memory of one network.
class Device {
 public:
  Device() : engine_(dnnl::engine::kind::cpu, 0), stream_(engine_) {}

  const dnnl::engine& engine() const { return engine_; }
  WorkingMemory& working_memory() { return working_memory_; }

  /// Memory that lives as long as the result does.
  dnnl::memory allocate(const onednn::Desc& desc) const { return {desc, engine_}; }
  /// Refers to memory of someone else.
  dnnl::memory refer(const onednn::Desc& desc, void* data) const { return {desc, engine_, data}; }
  /// Memory whose content lasts for the current layer's forward or backward only: leased until
  /// end_layer() while building.
  dnnl::memory scratch(const onednn::Desc& desc);
  void end_layer() { scratch_.clear(); }

  void run(const dnnl::primitive& primitive,
           const std::unordered_map<int, dnnl::memory>& arguments) {
    primitive.execute(stream_, arguments);
    stream_.wait();
  }

 private:
  dnnl::engine engine_;
  dnnl::stream stream_;
  WorkingMemory working_memory_;
  std::vector<Lease> scratch_;
};

/// All float32 numbers of a tensor, in the order of its layout, padding included.
inline std::span<float> floats_of(const dnnl::memory& memory) {
  return {static_cast<float*>(memory.get_data_handle()),
          memory.get_desc().get_size() / sizeof(float)};
}

}  // namespace tandem
