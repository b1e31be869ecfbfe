#pragma once

#include <oneapi/dnnl/dnnl_version.h>

#include <oneapi/dnnl/dnnl.hpp>
#include <vector>

/// What oneDNN 2.x (Debian 12) and 3.x (Ubuntu 24.04) call differently. 3.0 dropped operation
/// descriptors, so that a primitive descriptor takes the engine and all arguments at once; batch
/// normalization and eltwise name source and destination apart; pooling takes dilations.
namespace tandem::onednn {

using Dims = dnnl::memory::dims;
using Desc = dnnl::memory::desc;
using Type = dnnl::memory::data_type;

inline Dims dims_of(const Desc& desc) {
#if DNNL_VERSION_MAJOR >= 3
  return desc.get_dims();
#else
  return desc.dims();
#endif
}

/// The same tensor in plain row-major layout; {batch, channels, height, width}.
inline Desc plain_like(const Desc& desc, Type type = Type::f32) {
  return {dims_of(desc), type, dnnl::memory::format_tag::nchw};
}

/// Row-major.
inline Desc matrix(dnnl::memory::dim rows, dnnl::memory::dim columns, Type type = Type::f32) {
  return {{rows, columns}, type, dnnl::memory::format_tag::ab};
}

/// A forward primitive's descriptor, for those whose arguments are the same in both.
template <typename Primitive, typename... Arguments>
typename Primitive::primitive_desc describe_with(const dnnl::primitive_attr& attributes,
                                                 const dnnl::engine& engine,
                                                 const Arguments&... arguments) {
#if DNNL_VERSION_MAJOR >= 3
  return typename Primitive::primitive_desc(engine, arguments..., attributes);
#else
  return typename Primitive::primitive_desc(typename Primitive::desc(arguments...), attributes,
                                            engine);
#endif
}

template <typename Primitive, typename... Arguments>
typename Primitive::primitive_desc describe(const dnnl::engine& engine,
                                            const Arguments&... arguments) {
  return describe_with<Primitive>({}, engine, arguments...);
}

/// A backward primitive's descriptor; `forward` is that of the forward pass it belongs to.
template <typename Primitive, typename Forward, typename... Arguments>
typename Primitive::primitive_desc describe_backward(const dnnl::engine& engine,
                                                     const Forward& forward,
                                                     const Arguments&... arguments) {
#if DNNL_VERSION_MAJOR >= 3
  return typename Primitive::primitive_desc(engine, arguments..., forward);
#else
  return
      typename Primitive::primitive_desc(typename Primitive::desc(arguments...), engine, forward);
#endif
}

struct PoolWindow {
  Dims kernel, strides, padding_before, padding_after;
};

inline dnnl::pooling_forward::primitive_desc describe_pooling(const dnnl::engine& engine,
                                                              dnnl::algorithm algorithm,
                                                              const Desc& source,
                                                              const Desc& destination,
                                                              const PoolWindow& window) {
  const auto kind = dnnl::prop_kind::forward_training;
#if DNNL_VERSION_MAJOR >= 3
  return {engine,
          kind,
          algorithm,
          source,
          destination,
          window.strides,
          window.kernel,
          Dims(window.kernel.size(), 0),
          window.padding_before,
          window.padding_after};
#else
  return describe<dnnl::pooling_forward>(engine, kind, algorithm, source, destination,
                                         window.strides, window.kernel, window.padding_before,
                                         window.padding_after);
#endif
}

inline dnnl::pooling_backward::primitive_desc describe_pooling_backward(
    const dnnl::engine& engine, dnnl::algorithm algorithm, const Desc& source_gradient,
    const Desc& destination_gradient, const PoolWindow& window,
    const dnnl::pooling_forward::primitive_desc& forward) {
#if DNNL_VERSION_MAJOR >= 3
  return {engine,
          algorithm,
          source_gradient,
          destination_gradient,
          window.strides,
          window.kernel,
          Dims(window.kernel.size(), 0),
          window.padding_before,
          window.padding_after,
          forward};
#else
  return describe_backward<dnnl::pooling_backward>(
      engine, forward, algorithm, source_gradient, destination_gradient, window.strides,
      window.kernel, window.padding_before, window.padding_after);
#endif
}

/// Applies a function to what a primitive makes, while that is in registers.
inline void append_eltwise(dnnl::post_ops& operations, dnnl::algorithm algorithm, float alpha,
                           float beta) {
#if DNNL_VERSION_MAJOR >= 3
  operations.append_eltwise(algorithm, alpha, beta);
#else
  operations.append_eltwise(1, algorithm, alpha, beta);
#endif
}

/// Source and destination in one layout.
inline dnnl::eltwise_forward::primitive_desc describe_eltwise(const dnnl::engine& engine,
                                                              dnnl::algorithm algorithm,
                                                              const Desc& layout, float alpha,
                                                              float beta) {
  const auto kind = dnnl::prop_kind::forward_training;
#if DNNL_VERSION_MAJOR >= 3
  return {engine, kind, algorithm, layout, layout, alpha, beta};
#else
  return describe<dnnl::eltwise_forward>(engine, kind, algorithm, layout, alpha, beta);
#endif
}

inline dnnl::eltwise_backward::primitive_desc describe_eltwise_backward(
    const dnnl::engine& engine, dnnl::algorithm algorithm, const Desc& layout, float alpha,
    float beta, const dnnl::eltwise_forward::primitive_desc& forward) {
#if DNNL_VERSION_MAJOR >= 3
  return {engine, algorithm, layout, layout, layout, alpha, beta, forward};
#else
  return describe_backward<dnnl::eltwise_backward>(engine, forward, algorithm, layout, layout,
                                                   alpha, beta);
#endif
}

inline dnnl::batch_normalization_forward::primitive_desc describe_batch_norm(
    const dnnl::engine& engine, dnnl::prop_kind kind, const Desc& layout, float epsilon,
    dnnl::normalization_flags flags) {
#if DNNL_VERSION_MAJOR >= 3
  return {engine, kind, layout, layout, epsilon, flags};
#else
  return describe<dnnl::batch_normalization_forward>(engine, kind, layout, epsilon, flags);
#endif
}

inline dnnl::batch_normalization_backward::primitive_desc describe_batch_norm_backward(
    const dnnl::engine& engine, const Desc& layout, float epsilon, dnnl::normalization_flags flags,
    const dnnl::batch_normalization_forward::primitive_desc& forward) {
  const auto kind = dnnl::prop_kind::backward;
#if DNNL_VERSION_MAJOR >= 3
  return {engine, kind, layout, layout, layout, epsilon, flags, forward};
#else
  return describe_backward<dnnl::batch_normalization_backward>(engine, forward, kind, layout,
                                                               layout, epsilon, flags);
#endif
}

/// Backward has no use for the shift: 2.x demands it all the same, 3.x refuses it. (Layer
/// normalization takes it in all versions.)
inline constexpr bool kBatchNormBackwardTakesShift = DNNL_VERSION_MAJOR < 3;

/// `layout` and `statistics` as {rows, features} and {rows}.
inline dnnl::layer_normalization_forward::primitive_desc describe_layer_norm(
    const dnnl::engine& engine, const Desc& layout, const Desc& statistics, float epsilon,
    dnnl::normalization_flags flags) {
  const auto kind = dnnl::prop_kind::forward_training;
#if DNNL_VERSION_MAJOR >= 3
  return {engine, kind, layout, layout, statistics, epsilon, flags};
#else
  return describe<dnnl::layer_normalization_forward>(engine, kind, layout, statistics, epsilon,
                                                     flags);
#endif
}

inline dnnl::layer_normalization_backward::primitive_desc describe_layer_norm_backward(
    const dnnl::engine& engine, const Desc& layout, const Desc& statistics, float epsilon,
    dnnl::normalization_flags flags,
    const dnnl::layer_normalization_forward::primitive_desc& forward) {
  const auto kind = dnnl::prop_kind::backward;
#if DNNL_VERSION_MAJOR >= 3
  return {engine, kind, layout, layout, layout, statistics, epsilon, flags, forward};
#else
  return describe_backward<dnnl::layer_normalization_backward>(engine, forward, kind, layout,
                                                               layout, statistics, epsilon, flags);
#endif
}

/// Adds up; the sum is in the layout `destination`.
inline dnnl::sum::primitive_desc describe_sum(const dnnl::engine& engine, const Desc& destination,
                                              const std::vector<Desc>& sources) {
  const std::vector<float> scales(sources.size(), 1.0F);
#if DNNL_VERSION_MAJOR >= 3
  return {engine, destination, scales, sources};
#else
  return {destination, scales, sources, engine};
#endif
}

/// Joins along `axis`; oneDNN chooses the result's layout where `destination` is null.
inline dnnl::concat::primitive_desc describe_concat(const dnnl::engine& engine,
                                                    const Desc* destination, int axis,
                                                    const std::vector<Desc>& sources) {
#if DNNL_VERSION_MAJOR >= 3
  if (destination) return {engine, *destination, axis, sources};
  return {engine, axis, sources};
#else
  if (destination) return {*destination, axis, sources, engine};
  return {axis, sources, engine};
#endif
}

}  // namespace tandem::onednn
