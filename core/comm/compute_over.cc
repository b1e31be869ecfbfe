#include "core/comm/compute_over.h"

namespace tandem {

void compute_over(Worker& worker, std::string_view name, View view, int arrays,
                  const std::function<void()>& body, int layer, int times) {
  Handle done = worker.compute({.phase = Phase::kReduce,
                                .layer = layer,
                                .name = name,
                                .flops = times * static_cast<double>(view.elements),
                                .bytes = times * arrays * static_cast<double>(view.bytes()),
                                .body = view.has_data() ? body : nullptr});
  worker.wait(done);
}

}  // namespace tandem
