#include "core/base/json_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <string_view>

#include "core/base/atomic_file.h"
#include "core/base/error.h"
#include "core/base/json_text.h"

namespace tandem {
namespace {

/// `read` counts bytes up to and with the one that could not be read on from.
std::string what_is_wrong(std::string_view text, std::size_t read) {
  if (read > text.size()) return "it ends before it is complete";
  const unsigned char at = text[read - 1];
  return std::isprint(at) ? fmt::format("nothing may go on with '{}' here", static_cast<char>(at))
                          : fmt::format("nothing may go on with the byte {} here", at);
}

/// What nlohmann calls a kind of value.
std::string_view kind_named(std::string_view kind) {
  static const std::map<std::string_view, std::string_view> kNames = {
      {"object", "a map"},    {"array", "a list"},          {"string", "text"},
      {"number", "a number"}, {"boolean", "true or false"},
  };
  const auto found = kNames.find(kind);
  return found == kNames.end() ? kind : found->second;
}

}  // namespace

nlohmann::json read_json_file(const std::filesystem::path& file) {
  const std::string text = read_file(file);
  try {
    return parse_shallow_json(text);
  } catch (const RunError& error) {
    throw InputError(fmt::format("{}: {}", file.string(), error.what()));
  } catch (const nlohmann::json::parse_error& error) {
    const std::size_t read = std::max<std::size_t>(error.byte, 1);
    const auto before = std::string_view(text).substr(0, read - 1);
    const auto line = std::ranges::count(before, '\n') + 1;
    const std::size_t column = before.size() - (before.rfind('\n') + 1) + 1;  // npos + 1 is 0
    throw InputError(fmt::format("{}:{}:{}: not JSON: {}", file.string(), line, column,
                                 what_is_wrong(text, read)));
  } catch (const nlohmann::json::exception& error) {
    throw InputError(fmt::format("{}: can't be read as JSON: {}", file.string(), reason_of(error)));
  }
}

std::string reason_of(const nlohmann::json::exception& error) {
  // "[json.exception.type_error.304] cannot use at() with null"
  std::string_view text = error.what();
  if (const std::size_t end = text.find("] "); end != std::string_view::npos)
    text.remove_prefix(end + 2);
  const std::string_view last = text.substr(text.rfind(' ') + 1);
  if (text.starts_with("type must be ")) {
    const std::string_view expected = text.substr(13, text.find(',') - 13);
    return fmt::format("{} stands where {} has to be", kind_named(last), kind_named(expected));
  }
  if (text.starts_with("cannot use ")) {  // a part of it
    const bool is_list = last == "array", is_map = last == "object";
    return fmt::format("{} stands where {} has to be", kind_named(last),
                       is_list  ? "a map"
                       : is_map ? "a list"
                                : "a map or a list");
  }
  if (text.starts_with("key "))
    return fmt::format("{} is missing", text.substr(4, text.rfind('\'') - 3));
  if (text.starts_with("array index ")) return "a list is too short";
  if (text.starts_with("number overflow ")) return fmt::format("the number {} is too large", last);
  return std::string(text);
}

}  // namespace tandem
