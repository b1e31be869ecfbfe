#include <fmt/format.h>

#include <algorithm>

#include "core/scenario/reader.h"
#include "core/scenario/specs.h"
#include "core/training/update_rules.h"

namespace tandem {
namespace {

const std::vector<std::string> kMomentumKeys = {"momentum", "nesterov"};
const std::vector<std::string> kAdamKeys = {"beta1", "beta2", "epsilon"};

// A key that other optimizers have is no typing mistake, and is told so.
void check_keys(const Value& map, const std::string& name) {
  const bool is_sgd = name == "sgd";
  for (const ValueEntry& entry : map.entries) {
    if (std::ranges::count(is_sgd ? kAdamKeys : kMomentumKeys, entry.key) == 0) continue;
    fail(entry.value.where,
         fmt::format("optimizer.{} belongs to {}; '{}' has none, so leave it out", entry.key,
                     is_sgd ? "adam, adamw and lamb" : "sgd", name));
  }
}

void read_momentum(const MapReader& map, OptimizerSpec& optimizer) {
  if (const Value* momentum = map.find("momentum"))
    optimizer.momentum = read_fraction(*momentum, "optimizer.momentum");
  if (const Value* nesterov = map.find("nesterov")) {
    optimizer.nesterov = read_bool(*nesterov, "optimizer.nesterov");
    if (optimizer.nesterov && optimizer.momentum == 0)
      fail(
          nesterov->where,
          "optimizer.nesterov is true, but there is no momentum; add one, such as 'momentum: 0.9'");
  }
}

}  // namespace

OptimizerSpec read_optimizer(const Value& value) {
  OptimizerSpec optimizer;
  if (value.kind == Value::Kind::kScalar) {
    optimizer.name = read_choice(value, "optimizer", optimizer_names());
    return optimizer;
  }
  const MapReader map(value, "optimizer",
                      {"name", "learning_rate", "weight_decay", "momentum", "nesterov", "beta1",
                       "beta2", "epsilon"});
  if (const Value* name = map.find("name"))
    optimizer.name = read_choice(*name, "optimizer", optimizer_names());
  check_keys(value, optimizer.name);
  if (const Value* rate = map.find("learning_rate"))
    optimizer.learning_rate = read_positive(*rate, "optimizer.learning_rate");
  if (const Value* decay = map.find("weight_decay"))
    optimizer.weight_decay = read_fraction(*decay, "optimizer.weight_decay");
  read_momentum(map, optimizer);
  if (const Value* beta1 = map.find("beta1"))
    optimizer.beta1 = read_fraction(*beta1, "optimizer.beta1");
  if (const Value* beta2 = map.find("beta2"))
    optimizer.beta2 = read_fraction(*beta2, "optimizer.beta2");
  if (const Value* epsilon = map.find("epsilon"))
    optimizer.epsilon = read_positive(*epsilon, "optimizer.epsilon");
  return optimizer;
}

}  // namespace tandem
