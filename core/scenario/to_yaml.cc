#include "core/scenario/to_yaml.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <regex>

#include "core/scenario/specs.h"

namespace tandem {
namespace {

using nlohmann::json;

/// Words and quantities need no quotes; whatever else could be taken for more than a string, does.
std::string text_of(const std::string& text) {
  static const std::regex plain("[A-Za-z_][A-Za-z0-9_./-]*|[0-9]+ [A-Za-z/]+");
  static const std::regex taken("true|false|yes|no|on|off|null|nan|y|n", std::regex::icase);
  return std::regex_match(text, plain) && !std::regex_match(text, taken) ? text : json(text).dump();
}

std::string flow_of(const json& value) {
  if (value.is_string()) return text_of(value.get<std::string>());
  if (!value.is_structured()) return value.dump();
  std::vector<std::string> parts;
  if (value.is_array()) {
    for (const json& item : value) parts.push_back(flow_of(item));
    return fmt::format("[{}]", fmt::join(parts, ", "));
  }
  if (value.contains("name")) parts.push_back("name: " + flow_of(value["name"]));
  for (const auto& [key, item] : value.items())
    if (key != "name") parts.push_back(key + ": " + flow_of(item));
  return fmt::format("{{{}}}", fmt::join(parts, ", "));
}

/// What a scenario of the same algorithm is that says nothing more.
Scenario standard_of(const Scenario& scenario) {
  Scenario standard;
  standard.algorithm = standard_algorithm(scenario.algorithm.name);
  return standard;
}

void leave_out(json& all, const json& standard) {
  for (const auto& [key, value] : standard.items()) {
    if (key == "name" || key == "model" || key == "batch_size" || !all.contains(key)) continue;
    if (all[key] == value && key != "algorithm") {
      all.erase(key);
    } else if (all[key].is_object() && value.is_object()) {
      leave_out(all[key], value);
    }
  }
}

}  // namespace

std::string to_yaml(const Scenario& scenario) {
  json all = to_json(scenario);
  leave_out(all, to_json(standard_of(scenario)));
  std::string text;
  const auto add = [&](const std::string& key) {
    if (all.contains(key)) text += key + ": " + flow_of(all[key]) + "\n";
    all.erase(key);
  };
  for (const char* key : {"name", "model", "data", "batch_size", "iterations", "epochs",
                          "warmup_iterations", "algorithm", "workers", "platform", "device"})
    add(key);
  std::vector<std::string> others;
  for (const auto& [key, value] : all.items()) others.push_back(key);
  for (const std::string& key : others) add(key);
  return text;
}

}  // namespace tandem
