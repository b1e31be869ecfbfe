#include "core/strategies/strategy.h"

#include "core/strategies/all_reduce_sgd.h"
#include "core/strategies/parameter_server.h"
#include "core/strategies/single.h"

namespace tandem {

std::unique_ptr<Strategy> make_strategy(Replica& replica) {
  const std::string& name = replica.scenario.algorithm.name;
  if (name == "all_reduce") return std::make_unique<AllReduceSgd>(replica);
  if (name == "parameter_server") return std::make_unique<ParameterServerWorker>(replica);
  if (name == "none") return std::make_unique<Single>(replica);
  throw InputError("algorithm: there is no '" + name +
                   "'; known are none, all_reduce, parameter_server");
}

void serve(Replica& replica, int iterations) {
  serve_parameters(replica, iterations);
}

bool is_server(const Scenario& scenario, int rank) {
  return rank >= scenario.workers;
}

}  // namespace tandem
