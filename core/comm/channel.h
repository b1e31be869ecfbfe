#pragma once

namespace tandem {

/// Messages of strategies and of collectives never match each other.
enum class Channel { kPointToPoint, kCollective };

}  // namespace tandem
