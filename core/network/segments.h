#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace tandem {

/// Payload of a full Ethernet frame under TCP with timestamps: 1500 - 20 - 32.
inline constexpr std::uint64_t kSegmentBytes = 1448;

/// The packets of a message.
constexpr std::uint64_t segments(std::uint64_t bytes) {
  return (bytes + kSegmentBytes - 1) / kSegmentBytes;
}

/// What Linux takes off a device's gso_max_size for headers at the most, by how it was built
/// (MAX_TCP_HEADER and one).
inline constexpr std::size_t kTrainHeaderBytes = 321;

/// The payload of a train of packets of so many bytes with its headers: whole segments, one at
/// least.
constexpr std::size_t whole_segments(std::size_t train) {
  const std::size_t room = train > kTrainHeaderBytes ? train - kTrainHeaderBytes : 0;
  return std::max<std::size_t>(1, room / kSegmentBytes) * kSegmentBytes;
}

}  // namespace tandem
