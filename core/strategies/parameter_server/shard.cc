#include "core/strategies/parameter_server/shard.h"

#include <algorithm>

#include "core/model/zoo.h"
#include "core/record/recorder.h"

namespace tandem {

ParameterShard::ParameterShard(const Scenario& scenario, const LayerGraph& graph, Worker& worker)
    : worker_(worker) {
  const int server = worker.group().rank - scenario.workers;
  const std::vector<Piece> all = cut_into_pieces(graph, scenario.algorithm);
  for (std::size_t i = all.size(); i-- > 0;) {
    if (all[i].server != server) continue;
    if (elements_ == 0) begin_ = all[i].offset;
    pieces_.push_back({i, elements_, all[i].elements});
    elements_ += all[i].elements;
  }
  std::ranges::reverse(pieces_);
  weights_ = allocate();
  if (weights_.view().has_data()) initialize(scenario, graph);
}

void ParameterShard::count_sent(int worker, int piece, int iteration) const {
  const Traffic messages = sent_messages(weights(piece).bytes(), worker_.stands_for(worker));
  worker_.record().belongs_to(iteration, messages);
}

void ParameterShard::count_received(int worker, int piece, int iteration) const {
  const Traffic messages = received_messages(weights(piece).bytes(), worker_.stands_for(worker));
  worker_.record().belongs_to(iteration, messages);
}

void ParameterShard::initialize(const Scenario& scenario, const LayerGraph& graph) {
  std::vector<float> all(graph.parameter_elements());
  initialize_parameters(graph, scenario.seed, all);
  std::copy_n(all.begin() + static_cast<std::ptrdiff_t>(begin_), elements_,
              weights_.view().floats().begin());
}

}  // namespace tandem
