#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace tandem {

/// The 64-bit FNV-1a hash (Fowler, Noll and Vo) of some bytes, as 16 hexadecimal digits: tells
/// bit-identical weights from others, and nothing more.
inline std::string fnv1a_hex(std::span<const std::byte> bytes) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const std::byte byte : bytes) {
    hash = (hash ^ static_cast<std::uint64_t>(byte)) * 0x100000001b3;
  }
  return fmt::format("{:016x}", hash);
}

}  // namespace tandem
