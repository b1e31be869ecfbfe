#include "core/scenario/edit.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace tandem {
namespace {

constexpr const char* kSweep = "sweep";
constexpr std::ptrdiff_t kDeepestKey = 16;  // dots; no scenario has more than a few
// Of all points together, some gigabyte: ten axes of ten values would be many times as many.
constexpr double kMostValues = 1e6;

void erase(Value& map, const std::string& key) {
  std::erase_if(map.entries, [&](const ValueEntry& entry) { return entry.key == key; });
}

// `ring` is short for {name: ring}. The map is of whoever asked for it: a mistake that it makes of
// a value is theirs.
void unfold(Value& value, const std::string& key, const std::string& where) {
  if (value.kind == Value::Kind::kMap) return;
  if (value.kind == Value::Kind::kList)
    fail(where, fmt::format("'{}' is a list here, so it has no keys of its own", key));
  Value map{.kind = Value::Kind::kMap, .where = where};
  if (value.kind == Value::Kind::kScalar)
    map.entries.push_back({"name", value.where, std::move(value)});
  value = std::move(map);
}

Value& child(Value& map, const std::string& key, const std::string& where) {
  if (Value* found = map.find(key)) return *found;
  map.entries.push_back({key, where, Value{.where = where}});
  return map.entries.back().value;
}

bool covers(const std::string& key, const std::string& axis) {
  return axis == key || axis.starts_with(key + ".");
}

void drop_axes(Value& root, const std::string& key) {
  Value* sweep = root.find(kSweep);
  if (sweep == nullptr) return;
  const auto drop = [&](Value& map) {
    std::erase_if(map.entries, [&](const ValueEntry& axis) { return covers(key, axis.key); });
    return map.entries.empty();
  };
  if (sweep->kind == Value::Kind::kMap && drop(*sweep)) return erase(root, kSweep);
  for (Value& point : sweep->items) drop(point);
}

// Sets what is below an axis in each of its values: `algorithm.bucket` where `algorithm` is swept.
// Returns whether it is so in every point of the sweep.
bool set_below_axes(Value& root, const std::string& key, const std::string& where,
                    const Value& value) {
  Value* sweep = root.find(kSweep);
  if (sweep == nullptr) return false;
  const auto set_below = [&](const std::string& axis, Value& swept) {
    unfold(swept, axis, where);
    set_at(swept, key.substr(axis.size() + 1), where, value);
  };
  const auto is_below = [&](const ValueEntry& axis) { return key.starts_with(axis.key + "."); };
  for (ValueEntry& axis : sweep->entries) {
    if (!is_below(axis)) continue;
    for (Value& item : axis.value.items) set_below(axis.key, item);
    return true;
  }
  bool in_all = sweep->kind == Value::Kind::kList;
  for (Value& point : sweep->items) {
    const auto axis = std::ranges::find_if(point.entries, is_below);
    in_all = in_all && axis != point.entries.end();
    if (axis != point.entries.end()) set_below(axis->key, axis->value);
  }
  return in_all;
}

// A few words with single dots between them.
bool is_dotted_key(const std::string& key) {
  return !key.empty() && key.front() != '.' && key.back() != '.' &&
         key.find("..") == std::string::npos && std::ranges::count(key, '.') <= kDeepestKey;
}

void apply_override(Value& root, const Override& change) {
  const auto& [text, where] = change;
  const auto equals = text.find('=');
  const std::string key = text.substr(0, std::min(equals, text.size()));
  if (equals == std::string::npos || !is_dotted_key(key))
    fail(where, "write it as key=value, such as workers=4");
  Value value = parse_yaml_text(text.substr(equals + 1), where);
  const std::string axis_prefix = std::string(kSweep) + ".";
  if (key.starts_with(axis_prefix)) {
    Value& sweep = child(root, kSweep, where);
    unfold(sweep, kSweep, where);
    child(sweep, key.substr(axis_prefix.size()), where) = std::move(value);
    return;
  }
  for (const auto& [one, other] : {std::pair("iterations", "epochs"), {"epochs", "iterations"}}) {
    if (key != one) continue;
    drop_axes(root, other);
    erase(root, other);
  }
  drop_axes(root, key);
  if (!set_below_axes(root, key, where, value)) set_at(root, key, where, std::move(value));
}

// Keys of which results have a column of their own.
bool has_column(const std::string& key) {
  constexpr std::array kColumns = {"algorithm",
                                   "model",
                                   "data",
                                   "workers",
                                   "batch_size",
                                   "platform",
                                   "device",
                                   "name",
                                   "iterations",
                                   "algorithm.name",
                                   "algorithm.collective",
                                   "algorithm.mode",
                                   "algorithm.passes",
                                   "algorithm.stage",
                                   "algorithm.stages",
                                   "algorithm.local_steps",
                                   "algorithm.outer",
                                   "model.name",
                                   "data.name"};
  return std::ranges::find(kColumns, key) != kColumns.end();
}

// "top_k ratio=0.1": a map's name needs no key to be understood.
std::string text_of(const Value& value) {
  if (value.kind == Value::Kind::kScalar) return value.scalar;
  std::vector<std::string> parts;
  for (const Value& item : value.items) parts.push_back(text_of(item));
  for (const ValueEntry& entry : value.entries) {
    parts.push_back((entry.key == "name" ? "" : entry.key + "=") + text_of(entry.value));
  }
  return fmt::format("{}", fmt::join(parts, " "));
}

void add_part(std::string& text, const std::string& part) {
  text += (text.empty() ? "" : ", ") + part;
}

// Adds what tells a point with `value` at `key` from others where no column does: "bucket=25 MB".
void tell(std::string& variant, const std::string& key, const Value& value) {
  if (!has_column(key))
    return add_part(variant, key.substr(key.rfind('.') + 1) + "=" + text_of(value));
  for (const ValueEntry& entry : value.entries) {  // of a map, such as {name: ring, overlap: false}
    if (key != "platform") tell(variant, key + "." + entry.key, entry.value);
    // Of a platform the column has all; its kind is told where only a few columns are shown.
    if (key == "platform" && entry.key == "topology") add_part(variant, text_of(entry.value));
  }
}

// Keys that say what runs. They are told wherever they are given, swept or not, since the results
// of several scenarios are laid side by side.
constexpr std::array kTold = {"algorithm", "precision", "backward_passes_per_step",
                              "synchronize_batch_norm"};

void check_repeats(const ValueEntry& axis) {
  const std::vector<Value>& items = axis.value.items;
  for (std::size_t i = 0; i < items.size(); ++i) {
    for (std::size_t k = 0; k < i && items[i].kind == Value::Kind::kScalar; ++k) {
      if (items[k].kind == Value::Kind::kScalar && items[k].scalar == items[i].scalar)
        fail(items[i].where,
             fmt::format("sweep.{} has '{}' twice; keep one", axis.key, items[i].scalar));
    }
  }
}

void check_key(const ValueEntry& axis) {
  if (covers(kSweep, axis.key) || !is_dotted_key(axis.key))
    fail(axis.where, fmt::format("sweep.{} is no key that a sweep can set", axis.key));
}

void check_axis(const ValueEntry& axis) {
  const Value& values = axis.value;
  check_key(axis);
  if (values.kind == Value::Kind::kList && !values.items.empty()) return check_repeats(axis);
  fail(values.where,
       fmt::format("sweep.{} is {}, but has to be a list, such as [1, 2]", axis.key,
                   values.items.empty() && values.kind == Value::Kind::kList ? "an empty list"
                                                                             : describe(values)));
}

void set(SweepPoint& point, const ValueEntry& entry, const Value& value) {
  set_at(point.scenario, entry.key, entry.where, value);
  const bool is_told = std::ranges::any_of(kTold, [&](auto key) { return covers(key, entry.key); });
  if (!is_told) tell(point.variant, entry.key, value);
}

// Before what is swept beside it.
void tell_what_runs(SweepPoint& point) {
  std::string variant;
  for (const char* key : kTold) {
    if (const Value* value = point.scenario.find(key)) tell(variant, key, *value);
  }
  if (!point.variant.empty()) add_part(variant, point.variant);
  point.variant = variant;
}

/// Values that one is made of.
double count_values(const Value& value) {
  double count = 1;
  for (const Value& item : value.items) count += count_values(item);
  for (const ValueEntry& entry : value.entries) count += count_values(entry.value);
  return count;
}

void check_size(const Value& sweep, double points, double values) {
  if (points * values <= kMostValues) return;
  fail(sweep.where,
       fmt::format("sweep has {:.0f} points, but at most {:.0f} of such a scenario are "
                   "possible; make several sweeps of it",
                   points, std::max(1.0, kMostValues / values)));
}

void check_cross_product(const Value& base, const Value& sweep) {
  double points = 1, values = count_values(base);
  for (const ValueEntry& axis : sweep.entries) {
    check_axis(axis);
    double largest = 0;
    for (const Value& item : axis.value.items) largest = std::max(largest, count_values(item));
    points *= static_cast<double>(axis.value.items.size());
    values += largest + static_cast<double>(std::ranges::count(axis.key, '.'));
  }
  check_size(sweep, points, values);
}

std::vector<SweepPoint> cross_product(const Value& base, const Value& sweep) {
  check_cross_product(base, sweep);
  std::vector<SweepPoint> points = {{base, ""}};
  for (const ValueEntry& axis : sweep.entries) {
    std::vector<SweepPoint> longer;
    for (const SweepPoint& point : points) {
      for (const Value& value : axis.value.items) set(longer.emplace_back(point), axis, value);
    }
    points = std::move(longer);
  }
  return points;
}

std::vector<SweepPoint> listed_points(const Value& base, const Value& sweep) {
  check_size(sweep, static_cast<double>(sweep.items.size()), count_values(base));
  std::vector<SweepPoint> points;
  for (const Value& item : sweep.items) {
    if (item.kind != Value::Kind::kMap)
      fail(item.where, fmt::format("a point of the sweep is {}, but has to be a map of keys to "
                                   "values, such as '{{workers: 2}}'",
                                   describe(item)));
    SweepPoint& point = points.emplace_back(SweepPoint{base, ""});
    for (const ValueEntry& entry : item.entries) {
      check_key(entry);
      set(point, entry, entry.value);
    }
  }
  return points;
}

bool is_empty(const Value& sweep) {
  return sweep.entries.empty() && sweep.items.empty();
}

std::vector<SweepPoint> swept_points(const Value& root) {
  const Value* sweep = root.find(kSweep);
  if (sweep == nullptr) return {{root, ""}};
  const bool is_list = sweep->kind == Value::Kind::kList;
  const bool is_map = sweep->kind == Value::Kind::kMap;
  if (is_empty(*sweep))
    fail(sweep->where, fmt::format("sweep is {}, but has to be a map of lists, such as "
                                   "'workers: [1, 2]', or a list of points",
                                   is_list || is_map ? "empty" : describe(*sweep)));
  Value base = root;
  erase(base, kSweep);
  return is_list ? listed_points(base, *sweep) : cross_product(base, *sweep);
}

}  // namespace

void set_at(Value& root, const std::string& key, const std::string& where, Value value) {
  Value* map = &root;
  std::size_t begin = 0;
  for (std::size_t dot; (dot = key.find('.', begin)) != std::string::npos; begin = dot + 1) {
    const std::string part = key.substr(begin, dot - begin);
    map = &child(*map, part, where);
    unfold(*map, part, where);
  }
  child(*map, key.substr(begin), where) = std::move(value);
}

void apply_overrides(Value& root, const std::vector<Override>& overrides) {
  for (const Override& change : overrides) apply_override(root, change);
}

std::vector<SweepPoint> expand_sweep(const Value& root) {
  std::vector<SweepPoint> points = swept_points(root);
  for (SweepPoint& point : points) tell_what_runs(point);
  return points;
}

}  // namespace tandem
