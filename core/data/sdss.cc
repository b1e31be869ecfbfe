#include "core/data/sdss.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <string_view>

#include "core/base/error.h"
#include "core/base/random.h"
#include "core/data/data_folder.h"
#include "core/data/input_file.h"

namespace tandem {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 3> kObjectClasses = {"GALAXY", "QSO", "STAR"};
constexpr std::size_t kRowsPerTestRow = 5;
constexpr double kNotMeasured = -9999;
constexpr double kLargest = 1e30;  ///< of a figure; its square still is a number

/// Rows of one class or split, by number.
using Rows = std::vector<std::size_t>;

/// The objects of a file: the wanted figures of each, and its class.
struct Objects {
  std::vector<double> figures;  ///< {objects, features}
  std::vector<std::int32_t> labels;
};

fs::path find_file(const DataRequest& request) {
  if (request.path && fs::is_regular_file(*request.path)) return *request.path;
  const char* name = request.name == "sdss_dr14" ? "Skyserver_SQL2_27_2018 6_51_39 PM.csv"
                                                 : "star_classification.csv";
  return DataFolder(request, {name, {"sdss", ""}, {}, {}}).file(name);
}

const std::vector<std::string>& wanted(const DataRequest& request) {
  return request.features.empty() ? sdss_features() : request.features;
}

/// What DR17's file calls a column of DR14's.
std::string_view name_in_dr17(std::string_view column) {
  if (column == "ra") return "alpha";
  if (column == "dec") return "delta";
  return column == "mjd" ? "MJD" : column;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (std::size_t end; (end = text.find(separator)) != std::string_view::npos;) {
    parts.push_back(text.substr(0, end));
    text.remove_prefix(end + 1);
  }
  parts.push_back(text);
  return parts;
}

/// Reads the table line by line and knows where it is, for messages.
class Table {
 public:
  explicit Table(const fs::path& path) : path_(path), bytes_(InputFile(path).read_rest()) {
    rest_ = {reinterpret_cast<const char*>(bytes_.data()), bytes_.size()};
    if (rest_.starts_with("\xEF\xBB\xBF")) rest_.remove_prefix(3);  // a byte order mark
    if (!next()) fail("is empty");
    names_ = fields_;
  }

  /// Goes to the next line that isn't blank; false at the end.
  bool next() {
    while (!rest_.empty()) {
      const std::size_t end = std::min(rest_.find('\n'), rest_.size());
      std::string_view line = rest_.substr(0, end);
      rest_.remove_prefix(std::min(end + 1, rest_.size()));
      ++line_;
      if (line.ends_with('\r')) line.remove_suffix(1);
      if (line.empty()) continue;
      fields_ = split(line, ',');
      if (!names_.empty() && fields_.size() != names_.size()) {
        fail(fmt::format("has {} fields, but the header {}; {}", fields_.size(), names_.size(),
                         rest_.empty() ? "is the file truncated?" : "they must be equal"));
      }
      return true;
    }
    return false;
  }

  /// The index of a column under either release's name.
  std::size_t column(std::string_view name) const {
    for (const std::string_view known : {name, name_in_dr17(name)}) {
      const auto found = std::ranges::find(names_, known);
      if (found != names_.end()) return found - names_.begin();
    }
    fail(fmt::format("has no column '{}'; the header has {}", name, fmt::join(names_, ", ")));
  }

  double number(std::size_t column) const {
    const std::string_view text = fields_[column];
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error == std::errc() && end == text.data() + text.size() && std::abs(value) <= kLargest) {
      return value;
    }
    fail(fmt::format("{} is '{}'; it must be a number", names_[column], text));
  }

  std::int32_t label(std::size_t column) const {
    const auto found = std::ranges::find(kObjectClasses, fields_[column]);
    if (found != kObjectClasses.end())
      return static_cast<std::int32_t>(found - kObjectClasses.begin());
    fail(fmt::format("{} is '{}'; it must be {}", names_[column], fields_[column],
                     fmt::join(kObjectClasses, ", ")));
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw InputError(fmt::format("{}:{}: {}", path_.string(), std::max(line_, 1), what));
  }

  fs::path path_;
  std::vector<std::uint8_t> bytes_;
  std::string_view rest_;
  std::vector<std::string_view> names_, fields_;
  int line_ = 0;
};

Objects read_objects(const DataRequest& request) {
  Table table(find_file(request));
  std::vector<std::size_t> columns;
  for (const std::string& name : wanted(request)) columns.push_back(table.column(name));
  const std::size_t of_class = table.column("class");
  Objects objects;
  while (table.next()) {
    std::vector<double> figures;
    for (const std::size_t column : columns) figures.push_back(table.number(column));
    const std::int32_t label = table.label(of_class);
    if (std::ranges::find(figures, kNotMeasured) != figures.end()) continue;
    objects.figures.insert(objects.figures.end(), figures.begin(), figures.end());
    objects.labels.push_back(label);
  }
  return objects;
}

struct Split {
  Rows train, test;
};

// The order of the seed within a class, that of the file within a split.
Split stratify(const std::vector<std::int32_t>& labels, std::uint64_t seed) {
  constexpr std::uint64_t kSplitStream = std::uint64_t{5} << 32U;
  Split split;
  for (std::size_t label = 0; label < kObjectClasses.size(); ++label) {
    Rows rows;
    for (std::size_t row = 0; row < labels.size(); ++row) {
      if (labels[row] == static_cast<std::int32_t>(label)) rows.push_back(row);
    }
    RandomStream random(seed, kSplitStream + label);
    for (std::size_t i = rows.size(); i > 1; --i) std::swap(rows[i - 1], rows[random.below(i)]);
    const auto first_train = rows.begin() + rows.size() / kRowsPerTestRow;
    split.test.insert(split.test.end(), rows.begin(), first_train);
    split.train.insert(split.train.end(), first_train, rows.end());
  }
  std::ranges::sort(split.train);
  std::ranges::sort(split.test);
  return split;
}

/// Subtracted from a feature, and what the difference is divided by.
struct Scale {
  double mean = 0, deviation = 1;
};

std::vector<Scale> standardisation(const Objects& objects, const Rows& train,
                                   std::size_t features) {
  std::vector<Scale> scales(features);
  const auto count = static_cast<double>(train.size());
  for (std::size_t feature = 0; feature < features; ++feature) {
    const auto mean_of = [&](const auto& figure) {
      double sum = 0;
      for (const std::size_t row : train) sum += figure(objects.figures[row * features + feature]);
      return sum / count;
    };
    const double mean = mean_of([](double x) { return x; });
    const double variance = mean_of([&](double x) { return (x - mean) * (x - mean); });
    scales[feature] = {mean, variance > 0 ? std::sqrt(variance) : 1};
  }
  return scales;
}

Dataset take(const Objects& objects, const Rows& rows, const std::vector<Scale>& scales) {
  Dataset split;
  split.shape = {static_cast<int>(scales.size()), 1, 1};
  split.classes = static_cast<int>(kObjectClasses.size());
  for (const std::size_t row : rows) {
    split.labels.push_back(objects.labels[row]);
    for (std::size_t feature = 0; feature < scales.size(); ++feature) {
      const double figure = objects.figures[row * scales.size() + feature];
      split.images.push_back(
          static_cast<float>((figure - scales[feature].mean) / scales[feature].deviation));
    }
  }
  return split;
}

}  // namespace

const std::vector<std::string>& sdss_features() {
  static const std::vector<std::string> kFeatures = {"ra", "dec", "u",        "g",  "r",
                                                     "i",  "z",   "redshift", "mjd"};
  return kFeatures;
}

DataSplits read_sdss(const DataRequest& request, std::uint64_t seed) {
  const Objects objects = read_objects(request);
  const Split split = stratify(objects.labels, seed);
  if (split.train.empty() || split.test.empty()) {
    throw InputError(fmt::format("{}: has {} objects; some class needs at least {}",
                                 find_file(request).string(), objects.labels.size(),
                                 kRowsPerTestRow));
  }
  const auto scales = standardisation(objects, split.train, wanted(request).size());
  return {take(objects, split.train, scales), take(objects, split.test, scales)};
}

DatasetInfo describe_sdss(const DataRequest& request) {
  DatasetInfo info = known_of_sdss(request);
  info.train_size = stratify(read_objects(request).labels, 0).train.size();
  return info;
}

DatasetInfo known_of_sdss(const DataRequest& request) {
  return {{static_cast<int>(wanted(request).size()), 1, 1},
          static_cast<int>(kObjectClasses.size())};
}

}  // namespace tandem
