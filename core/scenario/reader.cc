#include "core/scenario/reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <string_view>

#include "core/base/nearest.h"
#include "core/base/units.h"

namespace tandem {
namespace {

constexpr int kMostInt = 1'000'000'000;  // sums of two fit an int
constexpr int kMostMembers = 1'000'000;

[[noreturn]] void fail_expected(const Value& value, const std::string& name,
                                const std::string& expected) {
  fail(value.where, fmt::format("{} is {}, but has to be {}", name, describe(value), expected));
}

template <typename Number>
std::optional<Number> number_of(const Value& value) {
  if (value.kind != Value::Kind::kScalar || value.quoted) return std::nullopt;
  Number number;
  const char* end = value.scalar.data() + value.scalar.size();
  const auto [rest, error] = std::from_chars(value.scalar.data(), end, number);
  if (error != std::errc() || rest != end) return std::nullopt;
  return number;
}

/// Of a number above it, that there is a largest one.
std::string at_most(const Value& value, double largest, std::string_view text) {
  const auto number = number_of<double>(value);
  return number && *number > largest ? fmt::format(" and at most {}", text) : "";
}

}  // namespace

std::string read_string(const Value& value, const std::string& name) {
  if (value.kind != Value::Kind::kScalar || value.scalar.empty())
    fail_expected(value, name, "a word or text");
  return value.scalar;
}

std::string read_choice(const Value& value, const std::string& what,
                        const std::vector<std::string>& choices) {
  const std::string word = read_string(value, what);
  if (std::ranges::find(choices, word) == choices.end())
    fail(value.where, fmt::format("there is no {} '{}'{} Known: {}", what, word,
                                  suggestion(word, choices, "."), fmt::join(choices, ", ")));
  return word;
}

bool read_bool(const Value& value, const std::string& name) {
  if (value.kind == Value::Kind::kScalar && !value.quoted) {
    if (value.scalar == "true") return true;
    if (value.scalar == "false") return false;
  }
  fail_expected(value, name, "true or false");
}

int read_int(const Value& value, const std::string& name, int least, const std::string& or_word) {
  const auto number = number_of<int>(value);
  if (!number || *number < least || *number > kMostInt)
    fail_expected(
        value, name,
        fmt::format("a whole number of at least {}{}{}", least, at_most(value, kMostInt, "1e9"),
                    or_word.empty() ? "" : ", or " + or_word));
  return *number;
}

int read_limited(const Value& value, const std::string& name, int least, int most,
                 const std::string& why) {
  const int number = read_int(value, name, least);
  if (number > most)
    fail(value.where, fmt::format("{} is {}, but at most {} are possible{}{}; give fewer", name,
                                  number, most, why.empty() ? "" : ", ", why));
  return number;
}

int read_member_count(const Value& value, const std::string& name) {
  return read_limited(value, name, 1, kMostMembers);
}

std::uint64_t read_seed(const Value& value, const std::string& name) {
  const auto number = number_of<std::uint64_t>(value);
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
  constexpr double kHalf = kMost / 2;  // kMost itself would be rounded up to what is too large
  if (!number)
    fail_expected(value, name,
                  "a whole number of at least 0" + at_most(value, kHalf, fmt::to_string(kMost)));
  return *number;
}

double read_positive(const Value& value, const std::string& name) {
  const auto number = number_of<double>(value);
  if (!number || !std::isfinite(*number) || *number <= 0)
    fail_expected(value, name, "a number above 0");
  return *number;
}

double read_within(const Value& value, const std::string& name, double least, double most) {
  const auto number = number_of<double>(value);
  if (!number || !(*number >= least && *number <= most))
    fail_expected(value, name, fmt::format("a number from {} to {}", least, most));
  return *number;
}

double read_fraction(const Value& value, const std::string& name) {
  const auto number = number_of<double>(value);
  if (!number || !(*number >= 0 && *number < 1))
    fail_expected(value, name, "a number of at least 0 and below 1");
  return *number;
}

double read_bytes(const Value& value, const std::string& name) {
  const auto bytes =
      value.kind == Value::Kind::kScalar ? parse_bytes(value.scalar) : std::optional<double>();
  if (!bytes || *bytes < 1)
    fail_expected(value, name, "an amount above 0 with its unit, such as 25 MB");
  return *bytes;
}

double read_seconds(const Value& value, const std::string& name) {
  const auto seconds =
      value.kind == Value::Kind::kScalar ? parse_seconds(value.scalar) : std::optional<double>();
  if (!seconds || *seconds <= 0)
    fail_expected(value, name, "a time above 0 with its unit, such as 5 min");
  return *seconds;
}

void require_possible(const Value& value, const std::string& name, double quantity,
                      const char* unit) {
  constexpr double kMost = 1e30;  // far beyond what there is
  if (!(quantity <= kMost)) fail_expected(value, name, fmt::format("{:g} {} at most", kMost, unit));
}

MapReader::MapReader(const Value& map, std::string name, const std::vector<std::string>& known)
    : map_(map), name_(std::move(name)) {
  if (map.kind != Value::Kind::kMap)
    fail_expected(map, name_.empty() ? "the scenario" : name_,
                  fmt::format("a map with keys such as {}", known.front()));
  for (const ValueEntry& entry : map.entries) {
    if (std::ranges::find(known, entry.key) != known.end()) continue;
    fail(entry.where, fmt::format("unknown key '{}'{}; {}", entry.key,
                                  name_.empty() ? "" : " in " + name_, hint(entry.key, known)));
  }
}

const Value& MapReader::require(const std::string& key, const std::string& example) const {
  const Value* value = find(key);
  if (value == nullptr)
    fail(where(),
         fmt::format("{} is missing; give one, such as '{}: {}'", dotted(key), key, example));
  return *value;
}

std::string MapReader::dotted(const std::string& key) const {
  return name_.empty() ? key : name_ + "." + key;
}

}  // namespace tandem
