#pragma once

#include <optional>
#include <stdexcept>
#include <string>

namespace tandem {

/// What a simulation may leave out: workers that are like another (folding.h), a collective's
/// messages, where `auto` chose so (executors/fused.h), and iterations that are like others
/// (steady_state.h).
enum class ShortCut { kFolding, kFusing, kExtrapolation };

/// Why short-cuts are not taken; what is empty may be.
struct RefusedShortCuts {
  std::optional<std::string> folding, fusing, extrapolation;

  std::optional<std::string>& of(ShortCut which) {
    if (which == ShortCut::kFolding) return folding;
    return which == ShortCut::kFusing ? fusing : extrapolation;
  }
};

/// A short-cut turned out not to hold when the simulation had begun: it has to be done again,
/// without it, by another process.
class ShortCutFailed : public std::runtime_error {
 public:
  ShortCutFailed(ShortCut which, const std::string& reason)
      : std::runtime_error(reason), which_(which) {}
  ShortCut which() const { return which_; }

 private:
  ShortCut which_;
};

}  // namespace tandem
