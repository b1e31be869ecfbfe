#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace tandem {

/// The points, counted from 0, that "3,7-9" names, counted from 1, of so many; ascending, each
/// once. Empty for an empty text. Throws InputError for anything else.
std::vector<std::size_t> chosen_points(const std::string& text, std::size_t points);

/// The point, counted from 0, of a result folder that --point names, counted from 1; without one
/// the last. Throws InputError where there is no such point.
std::size_t chosen_point(const std::filesystem::path& result, std::optional<int> point);

}  // namespace tandem
