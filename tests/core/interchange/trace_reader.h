#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace tandem {

/// A node of a Chakra trace, read by the numbers of Chakra's schema.
struct TraceNode {
  std::uint64_t id = 0;
  std::string name;
  int type = 0;
  std::vector<std::uint64_t> control, data;  ///< ids that it depends on
  std::uint64_t start_us = 0, duration_us = 0;
  std::map<std::string, std::int64_t> numbers;  ///< attributes
  std::map<std::string, std::string> texts;
};

inline constexpr int kComputeType = 4, kSendType = 5, kReceiveType = 6, kCollectiveType = 7;

struct TraceFile {
  std::string version;
  std::vector<TraceNode> nodes;
};

/// Reads lengths and messages until the file ends; throws what protozero throws.
TraceFile read_trace(const std::filesystem::path& file);

/// Replays the traces of all ranks on no clock: a node is done once what it depends on is done and,
/// where it communicates, the others of its message or collective have come to theirs. Returns how
/// many nodes can never be done.
std::size_t stuck_nodes(const std::vector<TraceFile>& ranks,
                        const std::map<std::string, std::vector<int>>& groups);

}  // namespace tandem
