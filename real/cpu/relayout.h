#pragma once

#include "real/cpu/device.h"

namespace tandem {

/// Carries a tensor from one memory to another, which may be of another layout: copied, or added to
/// what is there. Does nothing where both are the same memory.
class Relayout {
 public:
  Relayout() = default;
  Relayout(Device& device, dnnl::memory from, dnnl::memory to, bool adds = false);

  const dnnl::memory& from() const { return from_; }
  const dnnl::memory& to() const { return to_; }
  void run() const;

 private:
  Device* device_ = nullptr;
  dnnl::memory from_, to_;
  dnnl::reorder reorder_;
  bool is_needed_ = false;
};

/// `source` in the layout `wanted`, to(): itself, or scratch memory that run() fills.
Relayout in_layout(Device& device, const dnnl::memory& source, const onednn::Desc& wanted);

/// Where a primitive leaves a result for `destination` in the layout `produced`, from():
/// `destination` itself, or scratch memory that run() carries over.
Relayout out_of_layout(Device& device, const onednn::Desc& produced,
                       const dnnl::memory& destination);

}  // namespace tandem
