#pragma once

#include <string_view>

namespace tandem {

/// What SimGrid said of a platform, as a line about the platform goes on after its name: `line`,
/// ": ", `message` and `advice`. Views of what it said, or of constants.
struct PlainWords {
  std::string_view line;  ///< ":12", or nothing where it named none
  std::string_view message;
  std::string_view advice;
};

/// In other words where SimGrid's own say nothing to who wrote the platform. May be called by a
/// signal handler.
PlainWords in_plain_words(std::string_view said);

}  // namespace tandem
