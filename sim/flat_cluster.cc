#include "sim/flat_cluster.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/property_tree/ptree.hpp>
#include <boost/property_tree/xml_parser.hpp>
#include <cctype>
#include <sstream>

#include "core/base/number_range.h"

namespace tandem {
namespace {

using boost::property_tree::ptree;

constexpr const char* kRadical = "<xmlattr>.radical";
/// Opened and closed; one cluster has far fewer, and each level of nesting takes some stack.
constexpr std::ptrdiff_t kMostElements = 1000;

/// With the document type that SimGrid wants and the tree has not.
std::string text_of(const ptree& file) {
  std::ostringstream out;
  boost::property_tree::write_xml(out, file);
  std::string text = out.str();
  text.insert(text.find('\n') + 1,
              "<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n");
  return text;
}

bool is_plain(const std::string& name) {
  const auto begins = [](char c) {
    return std::isalpha(static_cast<unsigned char>(c)) || c == '_';
  };
  return !name.empty() && begins(name.front()) && std::ranges::all_of(name, [&](char c) {
    return begins(c) || std::isdigit(static_cast<unsigned char>(c)) || c == '-' || c == '.';
  });
}

/// Whether it is the same when it is written and read again. The reader takes nearly anything for a
/// name, where SimGrid's are all plain, and "&#;" for the character that ends its text.
bool can_be_read_again(const ptree& tree) {
  if (tree.data().find('\0') != std::string::npos) return false;
  return std::ranges::all_of(tree, [](const ptree::value_type& child) {
    const bool is_marker = child.first == "<xmlattr>" || child.first == "<xmltext>";
    return (is_marker || is_plain(child.first)) && can_be_read_again(child.second);
  });
}

bool is_content(const ptree::value_type& child) {
  return child.first != "<xmlattr>" && child.first != "config";
}

/// The only child that means something besides properties; null where there are several.
ptree* only_child(ptree& parent) {
  ptree* only = nullptr;
  for (auto& child : parent) {
    if (!is_content(child) || child.first == "prop") continue;
    if (only != nullptr || (child.first != "zone" && child.first != "cluster")) return nullptr;
    only = &child.second;
  }
  return only;
}

bool is_flat(const ptree& cluster) {
  for (const auto& child : cluster) {
    if (!is_content(child)) continue;
    if (child.first != "prop" || child.second.get("<xmlattr>.id", "") == "role") return false;
  }
  for (const auto& attribute : cluster.get_child("<xmlattr>")) {
    if (attribute.first.ends_with("_file")) return false;
  }
  return cluster.get("<xmlattr>.topology", "FLAT") == "FLAT";
}

/// The tree's one cluster, in the tree or in its one zone.
ptree* cluster_of(ptree& tree) {
  ptree* inner = only_child(tree);
  if (inner != nullptr && inner->find("<xmlattr>") == inner->not_found()) return nullptr;
  if (inner != nullptr && !inner->get_optional<std::string>(kRadical)) inner = only_child(*inner);
  return inner != nullptr && inner->get_optional<std::string>(kRadical) ? inner : nullptr;
}

}  // namespace

std::optional<Radical> read_radical(const std::string& text, std::size_t most) {
  Radical radical;
  std::istringstream parts(text);
  for (std::string part; std::getline(parts, part, ',');) {
    const auto range = parse_number_range(part);
    if (!range || range->last < range->first) return std::nullopt;
    radical.count += range->last - range->first + 1;
    for (std::size_t i = range->first; i <= range->last && radical.first.size() < most; ++i)
      radical.first.push_back(i);
  }
  return radical.count > 0 ? std::optional(radical) : std::nullopt;
}

bool changes_in_time(const std::string& platform) {
  return platform.find("_file=") != std::string::npos ||
         platform.find("<trace") != std::string::npos;
}

std::string FlatCluster::small(std::size_t hosts) const {
  ptree file = *file_;
  ptree& cluster = *cluster_of(file.find("platform")->second);
  const auto radical = read_radical(cluster.get<std::string>(kRadical), hosts);
  cluster.put(kRadical, fmt::format("{}", fmt::join(radical->first, ",")));
  return text_of(file);
}

std::optional<FlatCluster> find_flat_cluster(const std::string& platform) {
  if (std::ranges::count(platform, '<') > kMostElements) return std::nullopt;
  auto file = std::make_shared<ptree>();
  try {
    std::istringstream text(platform);
    boost::property_tree::read_xml(text, *file,
                                   boost::property_tree::xml_parser::trim_whitespace |
                                       boost::property_tree::xml_parser::no_comments);
  } catch (const boost::property_tree::xml_parser_error&) {
    return std::nullopt;
  }
  const auto tree = file->find("platform");
  if (tree == file->not_found() || !can_be_read_again(*file)) return std::nullopt;
  const ptree* cluster = cluster_of(tree->second);
  if (cluster == nullptr || !is_flat(*cluster)) return std::nullopt;
  const auto radical = read_radical(cluster->get<std::string>(kRadical), 0);
  if (!radical) return std::nullopt;
  return FlatCluster(std::move(file), radical->count);
}

}  // namespace tandem
