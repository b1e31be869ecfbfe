#include "core/comm/elementwise.h"

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
void add_numbers(View destination, View source) {
  T* sum = destination.numbers<T>().data();
  const T* addend = source.numbers<T>().data();
  for (std::size_t i = 0; i < destination.elements; ++i) sum[i] += addend[i];
}

/// destination[i] = combine(destination[i], scale * source[i])
template <typename Combine>
void transform(View destination, View source, float scale, const Combine& combine) {
  assert(destination.elements == source.elements);
  if (!destination.has_data()) return;
  visit_floating(destination.dtype, [&]<typename To>(To) {
    visit_floating(source.dtype, [&]<typename From>(From) {
      To* to = destination.numbers<To>().data();
      const From* from = source.numbers<From>().data();
      for (std::size_t i = 0; i < destination.elements; ++i) {
        to[i] = To(combine(to[i], scale * static_cast<float>(from[i])));
      }
    });
  });
}

}  // namespace

void add(View destination, View source) {
  assert(destination.elements == source.elements && destination.dtype == source.dtype);
  if (!destination.has_data()) return;
  if (destination.dtype == DType::kFloat32) return add_numbers<float>(destination, source);
  if (destination.dtype == DType::kInt64) return add_numbers<std::int64_t>(destination, source);
  accumulate(destination, source);
}

void convert(View destination, View source, float scale) {
  transform(destination, source, scale, [](auto, float term) { return term; });
}

void accumulate(View destination, View source, float scale) {
  transform(destination, source, scale,
            [](auto sum, float term) { return static_cast<float>(sum) + term; });
}

}  // namespace tandem
