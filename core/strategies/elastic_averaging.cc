#include "core/strategies/elastic_averaging.h"

#include "core/comm/compute_over.h"
#include "core/strategies/parameter_server/shard.h"

namespace tandem {

ElasticAveraging::ElasticAveraging(Replica& replica)
    : replica_(replica),
      algorithm_(replica.scenario.algorithm),
      pieces_(cut_into_pieces(replica.graph, algorithm_)),
      centre_(replica.worker.allocate(replica.graph.parameter_elements(), DType::kFloat32)) {}

void ElasticAveraging::begin_iteration() {
  if (iteration_ % algorithm_.local_steps != 0) return;
  for (std::size_t i = 0; i < pieces_.size(); ++i) {
    exchange_.push_back(replica_.worker.send(replica_.scenario.workers + pieces_[i].server,
                                             push_tag(i), slice(replica_.parameters, pieces_[i])));
  }
  receive(centre_);
  if (!algorithm_.overlap) wait_all(replica_.worker, exchange_);
}

void ElasticAveraging::receive(const Buffer& into) {
  for (std::size_t i = pieces_.size(); i-- > 0;) {
    exchange_.push_back(replica_.worker.receive(replica_.scenario.workers + pieces_[i].server,
                                                pull_tag(i), slice(into, pieces_[i])));
  }
}

void ElasticAveraging::end_iteration() {
  if (iteration_++ % algorithm_.local_steps == 0) {
    wait_all(replica_.worker, exchange_);
    exchange_.clear();
    const View weights = replica_.parameters.view();
    const View centre = centre_.view();
    const auto alpha = static_cast<float>(replica_.scenario.elasticity());
    compute_over(replica_.worker, "draw to centre", weights, 3, [=] {
      const auto x = weights.floats();
      const auto c = centre.floats();
      for (std::size_t i = 0; i < x.size(); ++i) x[i] -= alpha * (x[i] - c[i]);
    });
  }
  replica_.update(0, replica_.graph.parameter_elements(), 1);
}

void ElasticAveraging::finish() {
  receive(replica_.parameters);
  // Slower workers may take long; the servers, who wait for them, notice where one is stuck.
  replica_.worker.set_patience(kForever);
  wait_all(replica_.worker, exchange_);
}

}  // namespace tandem
