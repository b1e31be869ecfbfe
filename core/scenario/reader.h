#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/scenario/value.h"

namespace tandem {

// Readers of single values. `name` is the dotted key, for messages; all throw InputError that says
// where, what was found and what would be right.

std::string read_string(const Value& value, const std::string& name);
/// One of `choices`; the error names the nearest. `what` as in "model".
std::string read_choice(const Value& value, const std::string& what,
                        const std::vector<std::string>& choices);
bool read_bool(const Value& value, const std::string& name);
/// A whole number from `least` to 1e9. `or_word` is what else would be right, for the message.
int read_int(const Value& value, const std::string& name, int least,
             const std::string& or_word = "");
/// A whole number from `least` to `most`. `why` is what makes more impossible, for the message,
/// such as "since each is recorded".
int read_limited(const Value& value, const std::string& name, int least, int most,
                 const std::string& why = "");
/// A whole number from 1 to a million, which is more than any simulation holds.
int read_member_count(const Value& value, const std::string& name);
std::uint64_t read_seed(const Value& value, const std::string& name);
/// A finite number above 0.
double read_positive(const Value& value, const std::string& name);
/// A number from `least` to `most`, which are above 0.
double read_within(const Value& value, const std::string& name, double least, double most);
/// A number in [0, 1).
double read_fraction(const Value& value, const std::string& name);
/// Seconds of a time with its unit, such as 5 min, above 0; without end for "inf".
double read_seconds(const Value& value, const std::string& name);
/// An amount with its unit, such as 25 MB, above 0; without bound for "inf".
double read_bytes(const Value& value, const std::string& name);

/// Fails where `quantity`, which is that of the value in `unit`, is beyond all that there is, as
/// 1e31 and "inf" are.
void require_possible(const Value& value, const std::string& name, double quantity,
                      const char* unit);

/// A map whose keys are all among those given. Refers to `map`, which must outlive it.
class MapReader {
 public:
  /// `name` as in "algorithm"; empty for the whole file. Throws InputError for a value that is no
  /// map and for unknown keys, with the nearest known one.
  MapReader(const Value& map, std::string name, const std::vector<std::string>& known);

  /// The value of a key; null where it is missing.
  const Value* find(const std::string& key) const { return map_.find(key); }
  /// The same, but an InputError with `example` where it is missing.
  const Value& require(const std::string& key, const std::string& example) const;
  const std::string& where() const { return map_.where; }
  /// "algorithm.bucket".
  std::string dotted(const std::string& key) const;

 private:
  const Value& map_;
  std::string name_;
};

}  // namespace tandem
