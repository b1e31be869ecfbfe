#pragma once

#include <string_view>

namespace tandem {

/// What SimGrid means, of messages that say nothing to who wrote the platform; others are left as
/// they are. May be called by a signal handler.
std::string_view in_plain_words(std::string_view message);

}  // namespace tandem
