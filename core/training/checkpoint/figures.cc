#include "core/training/checkpoint/figures.h"

#include <fmt/format.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/json_text.h"
#include "core/strategies/all_reduce_use.h"
#include "core/training/checkpoint/manifest.h"

namespace tandem {
namespace {

using nlohmann::json;

json link_json(const LinkFigures& link) {
  return {link.latency, link.bandwidth};
}

/// JSON has no infinity: null.
double number(const json& value) {
  const double read = value.is_null() ? kForever : value.get<double>();
  if (!(read >= 0)) throw RunError("a figure in it is below 0");
  return read;
}

void take_over(const json& saved, Scenario& scenario) {
  AllReduceOptions& options = scenario.algorithm.options;
  if (!saved.at("node_size").is_null()) {
    const auto size = whole_number(saved.at("node_size"), std::numeric_limits<int>::max());
    if (size == 0) throw RunError("its node size is 0");
    options.node_size = static_cast<int>(size);
  }
  std::vector<LinkFigures> links;
  for (const json& link : saved.at("links"))
    links.push_back({number(link.at(0)), number(link.at(1))});
  if (links.size() != figure_patterns(scenario.workers, options).size())
    throw RunError("it has figures of another number of links");
  scenario.algorithm.network =
      network_figures(std::move(links), options, number(saved.at("adding_bandwidth")));
}

}  // namespace

json figures_to_json(const Scenario& scenario) {
  const auto& figures = scenario.algorithm.network;
  if (!figures || !needs_network_figures(scenario)) return nullptr;
  json links = json::array();
  for (const LinkFigures& shift : figures->shifts) links.push_back(link_json(shift));
  const std::optional<int>& node_size = scenario.algorithm.options.node_size;
  if (node_size)
    links.insert(links.end(), {link_json(figures->inside), link_json(figures->across)});
  return {{"node_size", node_size ? json(*node_size) : json()},
          {"links", links},
          {"adding_bandwidth", figures->adding_bandwidth}};
}

bool resume_figures(Scenario& scenario) {
  if (!needs_network_figures(scenario)) return false;
  if (!scenario.checkpoint || !scenario.checkpoint->resume) return false;
  const std::filesystem::path checkpoint =
      checkpoint_path(scenario.checkpoint->path.value(), *scenario.checkpoint->resume);
  try {
    const Manifest manifest = Manifest::load(checkpoint);
    if (manifest.saved.workers != scenario.workers || manifest.figures.is_null()) return false;
    take_over(manifest.figures, scenario);
    return true;
  } catch (const std::exception& error) {
    throw InputError(fmt::format("can't go on from {}: {}", checkpoint.string(), error.what()));
  }
}

}  // namespace tandem
