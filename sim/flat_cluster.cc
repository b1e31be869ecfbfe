#include "sim/flat_cluster.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/property_tree/ptree.hpp>
#include <boost/property_tree/xml_parser.hpp>
#include <limits>
#include <sstream>
#include <string_view>

#include "core/base/number_range.h"

namespace tandem {
namespace {

using boost::property_tree::ptree;

constexpr const char* kRadical = "<xmlattr>.radical";
constexpr std::size_t kMostNumber = std::numeric_limits<int>::max();  ///< that SimGrid takes
constexpr std::string_view kWord = "radical";
/// Opened and closed; one cluster has far fewer, and each level of nesting takes some stack.
constexpr std::ptrdiff_t kMostElements = 1000;
/// Of the word "radical", each of which may take a reading of the file.
constexpr int kMostMentions = 16;

bool is_content(const ptree::value_type& child) {
  return child.first != "<xmlattr>" && child.first != "config";
}

/// The only child that means something besides properties; null where there are several.
const ptree* only_child(const ptree& parent) {
  const ptree* only = nullptr;
  for (const auto& child : parent) {
    if (!is_content(child) || child.first == "prop") continue;
    if (only != nullptr || (child.first != "zone" && child.first != "cluster")) return nullptr;
    only = &child.second;
  }
  return only;
}

bool is_flat(const ptree& cluster) {
  for (const auto& child : cluster) {
    if (!is_content(child)) continue;
    const std::string property = child.second.get("<xmlattr>.id", "");
    if (child.first != "prop" || property == "role" || property == "board") return false;
  }
  for (const auto& attribute : cluster.get_child("<xmlattr>")) {
    if (attribute.first.ends_with("_file")) return false;
  }
  return cluster.get("<xmlattr>.topology", "FLAT") == "FLAT";
}

/// The tree's one cluster, in the tree or in its one zone.
const ptree* cluster_of(const ptree& tree) {
  const ptree* inner = only_child(tree);
  if (inner != nullptr && inner->find("<xmlattr>") == inner->not_found()) return nullptr;
  if (inner != nullptr && !inner->get_optional<std::string>(kRadical)) inner = only_child(*inner);
  return inner != nullptr && inner->get_optional<std::string>(kRadical) ? inner : nullptr;
}

/// That of the one flat cluster that the platform is.
std::optional<std::string> radical_of(const std::string& platform) {
  if (std::ranges::count(platform, '<') > kMostElements) return std::nullopt;
  ptree file;
  try {
    std::istringstream text(platform);
    boost::property_tree::read_xml(text, file,
                                   boost::property_tree::xml_parser::trim_whitespace |
                                       boost::property_tree::xml_parser::no_comments);
  } catch (const boost::property_tree::xml_parser_error&) {
    return std::nullopt;
  }
  const auto tree = file.find("platform");
  if (tree == file.not_found()) return std::nullopt;
  const ptree* cluster = cluster_of(tree->second);
  if (cluster == nullptr || !is_flat(*cluster)) return std::nullopt;
  return cluster->get<std::string>(kRadical);
}

/// Of the attribute whose name ends before `name_end`, what is between its quotation marks.
std::optional<TextRange> value_of_attribute(const std::string& text, std::size_t name_end) {
  constexpr const char* kSpace = " \t\r\n";
  const std::size_t equals = text.find_first_not_of(kSpace, name_end);
  if (equals == std::string::npos || text[equals] != '=') return std::nullopt;
  const std::size_t quote = text.find_first_not_of(kSpace, equals + 1);
  if (quote == std::string::npos || (text[quote] != '"' && text[quote] != '\''))
    return std::nullopt;
  const std::size_t end = text.find(text[quote], quote + 1);
  if (end == std::string::npos) return std::nullopt;
  return TextRange{.begin = quote + 1, .length = end - quote - 1};
}

/// Where another one instead is read as the cluster's: comments and properties may have the word.
std::optional<TextRange> place_of_radical(const std::string& platform, const std::string& radical) {
  const std::string other = radical == "0" ? "1" : "0";
  std::size_t word = platform.find(kWord);
  for (int mentions = 0; mentions < kMostMentions && word != std::string::npos; ++mentions) {
    word += kWord.size();
    const auto place = value_of_attribute(platform, word);
    word = platform.find(kWord, word);
    if (!place || platform.compare(place->begin, place->length, radical) != 0) continue;
    std::string changed = platform;
    if (radical_of(changed.replace(place->begin, place->length, other)) == other) return place;
  }
  return std::nullopt;
}

}  // namespace

std::optional<Radical> read_radical(const std::string& text, std::size_t most) {
  Radical radical;
  std::istringstream parts(text);
  for (std::string part; std::getline(parts, part, ',');) {
    const auto range = parse_number_range(part);
    if (!range || range->last < range->first || range->last > kMostNumber) return std::nullopt;
    radical.count += range->last - range->first + 1;
    for (std::size_t i = range->first; i <= range->last && radical.first.size() < most; ++i)
      radical.first.push_back(i);
  }
  return radical.count > 0 ? std::optional(radical) : std::nullopt;
}

std::size_t hosts_in_ranges(const std::string& platform) {
  std::size_t hosts = 0;
  for (std::size_t word = platform.find(kWord); word != std::string::npos;
       word = platform.find(kWord, word)) {
    word += kWord.size();
    const auto place = value_of_attribute(platform, word);
    if (!place) continue;
    const auto radical = read_radical(platform.substr(place->begin, place->length), 0);
    hosts += radical ? radical->count : 0;
  }
  return hosts;
}

bool changes_in_time(const std::string& platform) {
  return platform.find("_file=") != std::string::npos ||
         platform.find("<trace") != std::string::npos;
}

std::string FlatCluster::small(std::size_t hosts) const {
  const auto radical = read_radical(text_.substr(radical_.begin, radical_.length), hosts);
  std::string text = text_;
  return text.replace(radical_.begin, radical_.length,
                      fmt::format("{}", fmt::join(radical->first, ",")));
}

std::optional<FlatCluster> find_flat_cluster(const std::string& platform) {
  const auto radical = radical_of(platform);
  if (!radical) return std::nullopt;
  const auto numbers = read_radical(*radical, 0);
  const auto place = place_of_radical(platform, *radical);
  if (!numbers || !place) return std::nullopt;
  return FlatCluster(platform, *place, numbers->count);
}

}  // namespace tandem
