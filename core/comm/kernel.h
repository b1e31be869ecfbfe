#pragma once

#include <functional>
#include <string_view>

namespace tandem {

enum class Phase { kInput, kForward, kBackward, kUpdate, kReduce, kCompress };

constexpr const char* to_string(Phase phase) {
  switch (phase) {
    case Phase::kInput:
      return "input";
    case Phase::kForward:
      return "forward";
    case Phase::kBackward:
      return "backward";
    case Phase::kUpdate:
      return "update";
    case Phase::kReduce:
      return "reduce";
    case Phase::kCompress:
      return "compress";
  }
  return "?";
}

/// A piece of arithmetic: what it costs and how to do it. A real device runs `body`; a simulated
/// one charges the time that its device profile gives for (phase, layer), and runs `body` too where
/// the run carries payload.
struct Kernel {
  Phase phase;
  int layer = -1;  ///< index into LayerGraph::layers(), or -1 where the kernel belongs to no layer
  std::string_view name;  ///< the layer's name or the phase's
  double flops =
      0;  ///< floating-point operations for the whole batch, a multiply-add counted as two
  double bytes = 0;            ///< memory traffic for the whole batch, reads and writes
  std::function<void()> body;  ///< empty where the run models sizes only
};

}  // namespace tandem
