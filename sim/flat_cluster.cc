#include "sim/flat_cluster.h"

#include <fmt/format.h>

#include <boost/property_tree/ptree.hpp>
#include <boost/property_tree/xml_parser.hpp>
#include <charconv>
#include <sstream>
#include <string_view>

namespace tandem {
namespace {

using boost::property_tree::ptree;

/// With the document type that SimGrid wants and the tree has not.
std::string text_of(const ptree& file) {
  std::ostringstream out;
  boost::property_tree::write_xml(out, file);
  std::string text = out.str();
  text.insert(text.find('\n') + 1,
              "<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n");
  return text;
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
  if (inner != nullptr && !inner->get_optional<std::string>("<xmlattr>.radical"))
    inner = only_child(*inner);
  return inner != nullptr && inner->get_optional<std::string>("<xmlattr>.radical") ? inner
                                                                                   : nullptr;
}

std::optional<long> number(std::string_view text) {
  long value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0) return std::nullopt;
  return value;
}

}  // namespace

std::optional<Radical> read_radical(const std::string& text, std::size_t most) {
  Radical radical;
  std::istringstream parts(text);
  for (std::string part; std::getline(parts, part, ',');) {
    const std::size_t dash = part.find('-');
    const auto first = number(std::string_view(part).substr(0, dash));
    const auto last =
        dash == std::string::npos ? first : number(std::string_view(part).substr(dash + 1));
    if (!first || !last || *last < *first) return std::nullopt;
    radical.count += static_cast<std::size_t>(*last - *first + 1);
    for (long i = *first; i <= *last && radical.first.size() < most; ++i)
      radical.first.push_back(i);
  }
  return radical.count > 0 ? std::optional(radical) : std::nullopt;
}

bool changes_in_time(const std::string& platform) {
  return platform.find("_file=") != std::string::npos ||
         platform.find("<trace") != std::string::npos;
}

std::optional<FlatCluster> find_flat_cluster(const std::string& platform, std::size_t small_hosts) {
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
  ptree* cluster = cluster_of(tree->second);
  if (cluster == nullptr || !is_flat(*cluster)) return std::nullopt;
  const auto radical = read_radical(cluster->get<std::string>("<xmlattr>.radical"), small_hosts);
  if (!radical) return std::nullopt;
  cluster->put("<xmlattr>.radical", fmt::format("{}", fmt::join(radical->first, ",")));
  return FlatCluster{
      .hosts = radical->count, .small = text_of(file), .small_hosts = radical->first.size()};
}

}  // namespace tandem
