#include "core/base/nearest.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <limits>

namespace tandem {
namespace {

bool same(char a, char b) {
  return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
}

/// Of those that a name is told by: "--" and the like are in all of them.
int letters(const std::string& word) {
  return static_cast<int>(std::count_if(word.begin(), word.end(), [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0;
  }));
}

}  // namespace

int edit_distance(const std::string& a, const std::string& b) {
  constexpr std::size_t kLongest = 256;  // of a word; what is longer was not mistyped
  if (std::max(a.size(), b.size()) > kLongest)
    return a == b ? 0
                  : static_cast<int>(std::min<std::size_t>(std::max(a.size(), b.size()),
                                                           std::numeric_limits<int>::max()));
  std::vector<std::vector<int>> edits(a.size() + 1, std::vector<int>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) {
    for (std::size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        edits[i][j] = static_cast<int>(i + j);
        continue;
      }
      const int substitution = edits[i - 1][j - 1] + (same(a[i - 1], b[j - 1]) ? 0 : 1);
      edits[i][j] = std::min({edits[i - 1][j] + 1, edits[i][j - 1] + 1, substitution});
      if (i > 1 && j > 1 && same(a[i - 1], b[j - 2]) && same(a[i - 2], b[j - 1]))
        edits[i][j] = std::min(edits[i][j], edits[i - 2][j - 2] + 1);
    }
  }
  return edits[a.size()][b.size()];
}

std::string nearest(const std::string& word, const std::vector<std::string>& candidates) {
  if (candidates.empty()) return "";
  return *std::min_element(candidates.begin(), candidates.end(), [&](const auto& a, const auto& b) {
    return edit_distance(word, a) < edit_distance(word, b);
  });
}

std::string suggestion(const std::string& word, const std::vector<std::string>& known,
                       const std::string& otherwise) {
  const std::string best = nearest(word, known);
  if (2 * edit_distance(word, best) > std::max(letters(word), letters(best))) return otherwise;
  return fmt::format("; did you mean '{}'?", best);
}

std::string hint(const std::string& word, const std::vector<std::string>& known) {
  const std::string near = suggestion(word, known);
  return near.empty() ? fmt::format("known: {}", fmt::join(known, ", ")) : near.substr(2);
}

}  // namespace tandem
