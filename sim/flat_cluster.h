#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace tandem {

/// A platform whose file is one <cluster> without a topology of its own: each host has links of its
/// own, like all others', to what all share, so that any two pairs of hosts are alike, and so are
/// the hosts. That can be read off the file, without SimGrid making the hosts.
struct FlatCluster {
  std::size_t hosts = 0;
  /// The same with only the first `small_hosts` of them: text of a platform file.
  std::string small;
  std::size_t small_hosts = 0;
};

/// That of a platform file's text, its small form with `small_hosts` hosts or all it has. Nothing
/// for other platforms, for text that is no XML, of which SimGrid says what is wrong, and where
/// something changes in the course of time.
std::optional<FlatCluster> find_flat_cluster(const std::string& platform, std::size_t small_hosts);

/// Whether the text of a platform file has hosts or links whose speed or state follows a file.
bool changes_in_time(const std::string& platform);

/// Numbers of a cluster's hosts as its attribute `radical` has them, "0-3,7": 0, 1, 2, 3, 7.
struct Radical {
  std::size_t count = 0;
  std::vector<long> first;  ///< `most` of them at most
};
/// Nothing where `text` is no such list.
std::optional<Radical> read_radical(const std::string& text, std::size_t most);

}  // namespace tandem
