#include "tests/conformance/prepared.h"

#include <map>
#include <nlohmann/json.hpp>

#include "core/scenario/scenario.h"
#include "tests/real/cpu/device_network.h"

namespace tandem {

Experiment prepared(const Scenario& scenario) {
  static std::map<std::string, std::shared_ptr<const DataSplits>> known;
  const nlohmann::json json = to_json(scenario);
  auto& data = known[json["model"].dump() + json["data"].dump() + json["seed"].dump()];
  const NetworkFactory make_network = device_network(scenario.threads, scenario.precision);
  Experiment experiment = prepare_experiment(scenario, data == nullptr, make_network);
  if (data) {
    experiment.data = data;
    experiment.make_network = make_network;
  }
  experiment.mirrors = device_mirrors();
  data = experiment.data;
  return experiment;
}

}  // namespace tandem
