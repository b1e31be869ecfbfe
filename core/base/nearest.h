#pragma once

#include <string>
#include <vector>

namespace tandem {

/// Edits that make `b` of `a`: insertions, deletions, substitutions and swaps of neighbours
/// (Damerau, "A technique for computer detection and correction of spelling errors", CACM 1964;
/// no part is edited twice). Letters that differ only in case are equal.
int edit_distance(const std::string& a, const std::string& b);

/// The candidate with the fewest edits from `word`, the first of equals; empty where there is none.
std::string nearest(const std::string& word, const std::vector<std::string>& candidates);

/// "; did you mean 'X'?", or `otherwise` where more than half of the word would be edited.
std::string suggestion(const std::string& word, const std::vector<std::string>& known,
                       const std::string& otherwise = "");

/// "did you mean 'X'?", or where more than half of the word would be edited, what is known.
std::string hint(const std::string& word, const std::vector<std::string>& known);

}  // namespace tandem
