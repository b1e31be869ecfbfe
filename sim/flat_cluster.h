#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tandem {

/// Characters of a text.
struct TextRange {
  std::size_t begin = 0, length = 0;
};

/// A platform whose file is one <cluster> without a topology of its own: each host has links of its
/// own, like all others', to what all share, so that any two pairs of hosts are alike, and so are
/// the hosts. That can be read off the file, without SimGrid making the hosts.
class FlatCluster {
 public:
  /// `radical` is where the platform's text has its hosts' numbers.
  FlatCluster(std::string text, TextRange radical, std::size_t hosts)
      : text_(std::move(text)), radical_(radical), hosts_(hosts) {}

  std::size_t hosts() const { return hosts_; }
  /// The same text, line by line, with only the first so many hosts, or all it has.
  std::string small(std::size_t hosts) const;

 private:
  std::string text_;
  TextRange radical_;
  std::size_t hosts_;
};

/// That of a platform file's text. Nothing for other platforms, for text that is no XML, of which
/// SimGrid says what is wrong, and where something changes in the course of time.
std::optional<FlatCluster> find_flat_cluster(const std::string& platform);

/// Whether the text of a platform file has hosts or links whose speed or state follows a file.
bool changes_in_time(const std::string& platform);

/// Numbers of a cluster's hosts as its attribute `radical` has them, "0-3,7": 0, 1, 2, 3, 7.
struct Radical {
  std::size_t count = 0;
  std::vector<std::size_t> first;  ///< `most` of them at most
};
/// Nothing where `text` is no such list.
std::optional<Radical> read_radical(const std::string& text, std::size_t most);

/// How many hosts the attributes `radical` of a platform file's text make, comments' included.
std::size_t hosts_in_ranges(const std::string& platform);

}  // namespace tandem
