#include <fmt/format.h>

#include <fstream>
#include <map>

#include "core/base/error.h"
#include "core/base/nearest.h"
#include "core/base/paths.h"
#include "core/collectives/all_reduce.h"
#include "core/command/commands.h"
#include "core/data/dataset.h"
#include "core/model/zoo.h"
#include "core/platform/topology.h"
#include "core/scenario/algorithms.h"

namespace tandem {
namespace {

constexpr double kMillion = 1e6, kBillion = 1e9;
constexpr std::size_t kDescriptionWidth = 56;

struct Item {
  std::string name;
  std::string description;
};
using Items = std::vector<Item>;

std::string describe(const Shape& shape) {
  return fmt::format("{} x {} x {}", shape.channels, shape.height, shape.width);
}

Items models() {
  Items items;
  for (const std::string& name : model_names()) {
    const LayerGraph graph = build_model(name);
    items.push_back(
        {name, fmt::format("input {}, {:.4g} M parameters, {:.3g} GFLOPs", describe(graph.input()),
                           static_cast<double>(graph.parameter_elements()) / kMillion,
                           graph.forward_flops() / kBillion)});
  }
  return items;
}

std::string describe_data(const std::string& name) {
  if (name == "synthetic") return "random samples that fit the model";
  try {
    const DatasetInfo info = describe_dataset({name, std::nullopt}, {});
    if (info.has_tokens) {  // a sample is one here, and the last sample's label is one more
      return fmt::format("{} tokens, {} of them different", info.train_size + 1, info.classes);
    }
    return fmt::format("{} samples of {}, {} classes", info.train_size, describe(info.shape),
                       info.classes);
  } catch (const InputError&) {
    return "not found here; set data.path or TANDEM_DATA";
  }
}

Items datasets() {
  Items items;
  for (const std::string& name : dataset_names()) items.push_back({name, describe_data(name)});
  return items;
}

Items layers() {
  Items items;
  for (const std::string& name : layer_kind_names())
    if (name != to_string(LayerKind::kInput)) items.push_back({name, ""});
  return items;
}

// As much of a description as fits a line of a terminal.
std::string shortened(const std::string& text) {
  if (text.size() <= kDescriptionWidth) return text;
  return text.substr(0, text.rfind(' ', kDescriptionWidth - 4)) + " ...";
}

// A scenario's first comment line says what it is.
std::string first_comment(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::string line;
  std::getline(in, line);
  return line.starts_with("# ") ? shortened(line.substr(2)) : "";
}

Items scenarios() {
  Items items;
  for (const std::string& name : resource_names("scenarios", "yaml"))
    items.push_back({name, first_comment(find_resource("scenarios", name, "yaml"))});
  return items;
}

Items resources(const std::string& folder, const std::string& extension) {
  Items items;
  for (const std::string& name : resource_names(folder, extension))
    items.push_back({name, (home_folder() / folder / (name + "." + extension)).string()});
  return items;
}

Items algorithms() {
  Items items;
  for (const AlgorithmInfo& info : known_algorithms()) {
    items.push_back({info.name, info.summary});
  }
  for (const std::string& name : all_reduce_names()) {
    items.push_back({name, "all_reduce over this collective, for short"});
  }
  return items;
}

Items topologies() {
  Items items;
  for (const TopologyInfo& info : known_topologies()) items.push_back({info.name, info.summary});
  return items;
}

const std::map<std::string, std::function<Items()>>& kinds() {
  static const std::map<std::string, std::function<Items()>> kKinds = {
      {"models", models},
      {"datasets", datasets},
      {"layers", layers},
      {"platforms", [] { return resources("platforms", "xml"); }},
      {"devices", [] { return resources("platforms/devices", "yaml"); }},
      {"scenarios", scenarios},
      {"topologies", topologies},
      {"algorithms", algorithms}};
  return kKinds;
}

void print(const std::string& kind, const Items& items) {
  fmt::print("{}\n", kind);
  for (const Item& item : items) {
    if (item.description.empty()) {
      fmt::print("  {}\n", item.name);
    } else {
      fmt::print("  {:<20} {}\n", item.name, item.description);
    }
  }
}

std::vector<std::string> kind_names() {
  std::vector<std::string> names;
  for (const auto& [kind, items] : kinds()) names.push_back(kind);
  return names;
}

int list(const std::vector<std::string>& chosen) {
  for (const std::string& kind : chosen)
    if (!kinds().contains(kind))
      throw InputError(fmt::format("unknown kind '{}'; {}", kind, hint(kind, kind_names())));
  for (const auto& [kind, items] : kinds())
    if (chosen.empty() || std::ranges::find(chosen, kind) != chosen.end()) print(kind, items());
  return 0;
}

}  // namespace

void add_list(CLI::App& app, CommandAction& action) {
  auto chosen = std::make_shared<std::vector<std::string>>();
  CLI::App* command =
      app.add_subcommand("list", "Show the names that scenarios and options can use");
  command->add_option("KIND", *chosen,
                      fmt::format("{}; all without one", fmt::join(kind_names(), ", ")));
  command->footer("Example:\n  tandem list models");
  command->callback([&action, chosen] { action = [chosen] { return list(*chosen); }; });
}

}  // namespace tandem
