#include "core/training/gradient_norm.h"

#include "core/base/square_sum.h"
#include "core/comm/elementwise.h"

namespace tandem {

GradientNorm::GradientNorm(Worker& worker)
    : worker_(worker), sums_(worker.allocate(kSquareSumWords, DType::kInt64)) {}

void GradientNorm::clear() {
  tandem::clear(sums());
}

void GradientNorm::measure(View gradients) {
  Kernel kernel{.phase = Phase::kReduce,
                .name = "norm",
                .flops = static_cast<double>(gradients.elements),
                .bytes = static_cast<double>(gradients.bytes()),
                .body = {}};
  if (gradients.has_data()) kernel.body = [=, this] { add_squares(sums(), gradients); };
  Handle measured = worker_.compute(kernel);
  worker_.wait(measured);
}

double GradientNorm::square() const {
  return sums().has_data() ? square_sum(square_sum_words(sums().on_host(Access::kRead))) : 0;
}

}  // namespace tandem
