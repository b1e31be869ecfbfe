#pragma once

namespace tandem {

/// tandem's version, as in CMakeLists.txt.
inline constexpr const char* kVersion = TANDEM_VERSION;

}  // namespace tandem
