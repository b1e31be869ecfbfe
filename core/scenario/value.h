#pragma once

#include <string>
#include <vector>

#include "core/base/error.h"

namespace tandem {

/// Of a map. A template, since the vector of a Value needs to know it before Value is complete.
template <typename Value>
struct EntryOf {
  std::string key;
  std::string where;  ///< of the key
  Value value;
};

/// A piece of YAML that remembers where it was written, so that whoever reads it can say so.
struct Value {
  enum class Kind { kNull, kScalar, kList, kMap };

  Kind kind = Kind::kNull;
  std::string where{};                    ///< "file:line:column", or as Override::where
  std::string scalar{};                   ///< kScalar only
  bool quoted = false;                    ///< written in quotes: a string whatever it looks like
  std::vector<Value> items{};             ///< kList only
  std::vector<EntryOf<Value>> entries{};  ///< kMap only, in the order written

  /// The value of a map's key; null where there is none.
  const Value* find(const std::string& key) const;
  Value* find(const std::string& key);
};

using ValueEntry = EntryOf<Value>;

/// Reads one YAML document. `where` begins every place: "FILE" gives "FILE:line:column". Throws
/// InputError for malformed YAML, keys that aren't plain words, and keys given twice in one map.
Value parse_yaml_file(const std::string& content, const std::string& file);

/// The same for a value from the command line: every place in it is `where` itself.
Value parse_yaml_text(const std::string& content, const std::string& where);

/// Everything that is written of a scenario later, such as JSON, has to be UTF-8.
bool is_utf8(const std::string& text);

/// "a list", "a map", "'text'", for messages.
std::string describe(const Value& value);

/// InputError "where: message".
[[noreturn]] void fail(const std::string& where, const std::string& message);

}  // namespace tandem
