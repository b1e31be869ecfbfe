#include "core/comm/elementwise.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "core/base/each_processor.h"

namespace tandem {
namespace {

/// Calls body with a number of the dtype's type.
template <typename Body>
void visit_floating(DType dtype, const Body& body) {
  switch (dtype) {
    case DType::kFloat32:
      return body(float{});
    case DType::kFloat16:
      return body(Float16{});
    case DType::kBFloat16:
      return body(BFloat16{});
    case DType::kInt64:
    case DType::kByte:
      assert(!"no floating-point numbers");
  }
}

template <typename T>
[[gnu::always_inline]] inline T sum_of(T a, T b) {
  if constexpr (sizeof(T) > 2)
    return a + b;
  else
    return T(static_cast<float>(a) + static_cast<float>(b));
}

#define TANDEM_ADD_NUMBERS(T)                                                      \
  TANDEM_EACH_PROCESSOR                                                            \
  void add_numbers(T* __restrict sum, const T* __restrict addend, std::size_t n) { \
    for (std::size_t i = 0; i < n; ++i) sum[i] = sum_of(sum[i], addend[i]);        \
  }
TANDEM_ADD_NUMBERS(float)
TANDEM_ADD_NUMBERS(Float16)
TANDEM_ADD_NUMBERS(BFloat16)
TANDEM_ADD_NUMBERS(std::int64_t)

template <typename T>
void add_as(const View& destination, const View& source) {
  add_numbers(destination.numbers<T>().data(), source.read<T>().data(), destination.elements);
}

/// destination[i] = combine(destination[i], scale * source[i])
template <typename Combine>
void transform(View destination, View source, float scale, const Combine& combine) {
  assert(destination.elements == source.elements);
  if (!destination.has_data()) return;
  visit_floating(destination.dtype, [&]<typename To>(To) {
    visit_floating(source.dtype, [&]<typename From>(From) {
      To* to = destination.numbers<To>().data();
      const From* from = source.read<From>().data();
      for (std::size_t i = 0; i < destination.elements; ++i) {
        to[i] = To(combine(to[i], scale * static_cast<float>(from[i])));
      }
    });
  });
}

}  // namespace

void add(const View& destination, const View& source) {
  assert(destination.elements == source.elements && destination.dtype == source.dtype);
  if (destination.mirror && destination.mirror->accumulate(destination, source, 1)) return;
  if (!destination.has_data()) return;
  switch (destination.dtype) {
    case DType::kFloat32:
      return add_as<float>(destination, source);
    case DType::kFloat16:
      return add_as<Float16>(destination, source);
    case DType::kBFloat16:
      return add_as<BFloat16>(destination, source);
    case DType::kInt64:
      return add_as<std::int64_t>(destination, source);
    case DType::kByte:
      assert(!"bytes are no numbers");
  }
}

void convert(View destination, View source, float scale) {
  if (destination.mirror && destination.mirror->convert(destination, source, scale)) return;
  transform(destination, source, scale, [](auto, float term) { return term; });
}

void accumulate(View destination, View source, float scale) {
  if (destination.mirror && destination.mirror->accumulate(destination, source, scale)) return;
  transform(destination, source, scale,
            [](auto sum, float term) { return static_cast<float>(sum) + term; });
}

void clear(View destination) {
  if (!destination.has_data() || destination.elements == 0) return;
  if (destination.mirror && destination.mirror->clear(destination)) return;
  std::memset(destination.on_host(Access::kOverwrite).data, 0, destination.bytes());
}

void add_squares(View sum, View numbers) {
  assert(sum.elements == kSquareSumWords && sum.dtype == DType::kInt64);
  if (!numbers.has_data()) return;
  if (sum.mirror && sum.mirror->add_squares(sum, numbers)) return;
  const SquareSum words = square_sum_words(sum);
  numbers = numbers.on_host(Access::kRead);
  if (numbers.dtype == DType::kFloat32) return add_squares(numbers.floats(), words);
  std::array<float, 4096> block;
  for (std::size_t at = 0; at < numbers.elements; at += block.size()) {
    const std::size_t count = std::min(block.size(), numbers.elements - at);
    convert({.data = reinterpret_cast<std::byte*>(block.data()), .elements = count},
            numbers.slice(at, count));
    add_squares(std::span<const float>(block).first(count), words);
  }
}

}  // namespace tandem
