#pragma once

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include "core/base/atomic_file.h"
#include "core/base/error.h"
#include "core/base/nearest.h"

namespace tandem {

/// The values of one YAML map of a device profile or a calibration, and what to say about them:
/// every function throws InputError (file:line:column). Keys must all be asked for: finish()
/// refuses the others.
class Fields {
 public:
  Fields(const std::string& file, const YAML::Node& node) : file_(file), node_(node) {
    if (!node.IsMap()) fail(node, "must be a map of keys to values");
  }

  [[noreturn]] void fail(const YAML::Node& at, const std::string& what) const {
    const YAML::Mark mark = at.Mark();
    throw InputError(fmt::format("{}:{}:{}: {}", file_, std::max(mark.line, 0) + 1,
                                 std::max(mark.column, 0) + 1, what));
  }

  /// The value of `key`, or nothing where it is missing.
  YAML::Node find(const char* key) {
    known_.emplace_back(key);
    return node_[key];
  }
  YAML::Node require(const char* key) {
    const YAML::Node value = find(key);
    if (!value) fail(node_, fmt::format("'{}' is missing", key));
    if (value.IsNull()) fail(key_of(key), fmt::format("'{}' has no value", key));
    return value;
  }

  std::string text(const char* key) {
    const YAML::Node value = require(key);
    if (!value.IsScalar() || value.Scalar().empty())
      fail(value, fmt::format("'{}' must be text", key));
    return value.Scalar();
  }
  double number(const char* key) { return read_number(key, require(key)); }
  double positive(const char* key) {
    const YAML::Node value = require(key);
    const double number = read_number(key, value);
    if (number <= 0) fail(value, fmt::format("'{}' is {}; it must be above 0", key, number));
    return number;
  }
  double positive(const char* key, double otherwise) {
    return find(key) ? positive(key) : otherwise;
  }
  double share(const char* key) {
    const double number = positive(key);
    if (number > 1) {
      fail(require(key), fmt::format("'{}' is {}; it is a share, so at most 1", key, number));
    }
    return number;
  }
  double share(const char* key, double otherwise) { return find(key) ? share(key) : otherwise; }
  double not_negative(const char* key) {
    const YAML::Node value = require(key);
    const double number = read_number(key, value);
    if (number < 0) fail(value, fmt::format("'{}' is {}; it must not be negative", key, number));
    return number;
  }
  double not_negative(const char* key, double otherwise) {
    return find(key) ? not_negative(key) : otherwise;
  }
  /// A number of bytes, cut to a whole one.
  std::size_t bytes(const char* key, double least = 1) {
    constexpr double kMost = 1e18;
    const YAML::Node value = require(key);
    const double number = read_number(key, value);
    if (number < least || number > kMost) {
      fail(value, fmt::format("'{}' is {}; it must be a number of bytes from {} to {}", key, number,
                              least, kMost));
    }
    return static_cast<std::size_t>(number);
  }
  int count(const char* key) {
    const YAML::Node value = require(key);
    int number = 0;
    if (!value.IsScalar() || !YAML::convert<int>::decode(value, number) || number < 1) {
      fail(value, fmt::format("'{}' must be a whole number from 1 on", key));
    }
    return number;
  }
  /// The items of a list, none where it is missing.
  std::vector<YAML::Node> list(const char* key) {
    const YAML::Node value = find(key);
    if (!value || value.IsNull()) return {};
    if (!value.IsSequence()) fail(value, fmt::format("'{}' must be a list", key));
    return {value.begin(), value.end()};
  }

  void finish() const {
    std::vector<std::string> seen;
    for (const auto& entry : node_) {
      const std::string key = entry.first.IsScalar() ? entry.first.Scalar() : "";
      if (std::find(seen.begin(), seen.end(), key) != seen.end())
        fail(entry.first, fmt::format("'{}' is given twice; keep one", key));
      seen.push_back(key);
      if (std::find(known_.begin(), known_.end(), key) != known_.end()) continue;
      fail(entry.first,
           fmt::format("unknown key '{}'; did you mean '{}'?", key, nearest(key, known_)));
    }
  }

 private:
  /// A value that is missing has no place of its own.
  YAML::Node key_of(const char* key) const {
    for (const auto& entry : node_)
      if (entry.first.IsScalar() && entry.first.Scalar() == key) return entry.first;
    return node_;
  }
  double read_number(const char* key, const YAML::Node& value) const {
    double number = 0;
    if (!value.IsScalar() || !YAML::convert<double>::decode(value, number) ||
        !std::isfinite(number)) {
      fail(value, fmt::format("'{}' must be a number", key));
    }
    return number;
  }

  const std::string& file_;
  YAML::Node node_;
  std::vector<std::string> known_;
};

/// What read(file's name, root) makes of a YAML file. Throws InputError (file:line:column) where it
/// is none.
template <typename Read>
auto read_yaml(const std::filesystem::path& file, const Read& read) {
  const std::string content = read_file(file);
  try {
    return read(file.string(), YAML::Load(content));
  } catch (const YAML::Exception& error) {
    const bool is_yaml = dynamic_cast<const YAML::ParserException*>(&error) == nullptr;
    throw InputError(fmt::format("{}:{}:{}: {}{}", file.string(), std::max(error.mark.line, 0) + 1,
                                 std::max(error.mark.column, 0) + 1,
                                 is_yaml ? "" : "this is no YAML: ", error.msg));
  }
}

/// `text` as YAML takes it: quoted unless it is surely plain, in flow and block context alike.
inline std::string yaml_text(const std::string& text) {
  const bool is_word = std::all_of(text.begin(), text.end(), [](unsigned char c) {
    return std::isalnum(c) || c == '_' || c == '.';
  });
  if (is_word && YAML::Load(text).IsScalar()) return text;  // "null" is a word, but no text
  YAML::Emitter out;
  out << YAML::DoubleQuoted << text;
  return out.c_str();
}

}  // namespace tandem
