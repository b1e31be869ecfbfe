#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

namespace tandem {

/// The JSON of a file. Throws InputError, naming line and column, where it holds none, or can't be
/// read.
nlohmann::json read_json_file(const std::filesystem::path& file);

/// What is wrong with JSON that is another than was expected, in a user's words instead of the
/// library's: "'points' is missing", "null stands where a map or a list has to be".
std::string reason_of(const nlohmann::json::exception& error);

}  // namespace tandem
