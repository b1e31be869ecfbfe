#include "core/training/gradient_norm.h"

#include <algorithm>
#include <array>

#include "core/base/square_sum.h"
#include "core/comm/elementwise.h"

namespace tandem {
namespace {

SquareSum words(const Buffer& sums) {
  return SquareSum(sums.view().numbers<std::int64_t>());
}

void add_squares_of(View gradients, SquareSum sum) {
  if (gradients.dtype == DType::kFloat32) return add_squares(gradients.floats(), sum);
  std::array<float, 4096> block;
  for (std::size_t at = 0; at < gradients.elements; at += block.size()) {
    const std::size_t count = std::min(block.size(), gradients.elements - at);
    convert({.data = reinterpret_cast<std::byte*>(block.data()), .elements = count},
            gradients.slice(at, count));
    add_squares(std::span(block).first(count), sum);
  }
}

}  // namespace

GradientNorm::GradientNorm(Worker& worker)
    : worker_(worker), sums_(worker.allocate(kSquareSumWords, DType::kInt64)) {}

void GradientNorm::clear() {
  if (sums_.view().has_data()) std::ranges::fill(words(sums_), 0);
}

void GradientNorm::measure(View gradients) {
  Kernel kernel{.phase = Phase::kReduce,
                .name = "norm",
                .flops = static_cast<double>(gradients.elements),
                .bytes = static_cast<double>(gradients.bytes()),
                .body = {}};
  if (gradients.has_data())
    kernel.body = [=, this] { add_squares_of(gradients.on_host(Access::kRead), words(sums_)); };
  Handle measured = worker_.compute(kernel);
  worker_.wait(measured);
}

double GradientNorm::square() const {
  return sums_.view().has_data() ? square_sum(words(sums_)) : 0;
}

}  // namespace tandem
