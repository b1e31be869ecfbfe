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
  std::optional<std::string> folding = {}, fusing = {}, extrapolation = {};

  /// One that was refused before can't have been taken: that would go round for ever.
  void refuse(ShortCut which, const std::string& reason) {
    std::optional<std::string>& refused = which == ShortCut::kFolding  ? folding
                                          : which == ShortCut::kFusing ? fusing
                                                                       : extrapolation;
    if (refused) throw std::logic_error("refused twice: " + reason);
    refused = reason;
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
