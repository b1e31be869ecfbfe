#pragma once

#include <type_traits>

#include "core/comm/buffer.h"

namespace tandem::cuda {

/// Calls `body` with a null pointer to numbers of the type: with_type(dtype, [](auto* type) {...}).
template <typename Body>
void with_type(DType dtype, const Body& body) {
  if (dtype == DType::kFloat16) {
    body(static_cast<Float16*>(nullptr));
  } else if (dtype == DType::kBFloat16) {
    body(static_cast<BFloat16*>(nullptr));
  } else {
    body(static_cast<float*>(nullptr));
  }
}
template <typename Pointer>
using Pointee = std::remove_pointer_t<Pointer>;

}  // namespace tandem::cuda
