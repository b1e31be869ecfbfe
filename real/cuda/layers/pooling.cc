#include "real/cuda/kernels/works.h"
#include "real/cuda/layers/layer.h"

namespace tandem::cuda {
namespace {

Pool pool_of(const Site& site) {
  const LayerOptions& o = site.layer.options;
  const Geometry& input = site.inputs[0]->value.geometry;
  const Geometry& output = site.output.value.geometry;
  if (site.layer.kind == LayerKind::kGlobalAveragePool)
    return {input, output, {input.height, 1, 0}, {input.width, 1, 0}};
  return {input,
          output,
          {o.kernel_height, o.stride_height, o.padding_height},
          {o.kernel_width, o.stride_width, o.padding_width}};
}

/// Calls `body(type, width)` for work over a pool's tensors.
template <typename Body>
void with_pool(const Pool& pool, DType dtype, const Body& body) {
  with_type(dtype, [&](auto* type) {
    using T = Pointee<decltype(type)>;
    with_width<T>(pool.has_width<kPackWidth<T>>(), [&](auto width) { body(type, width); });
  });
}

// Not cuDNN's: that takes no windows that reach out of the input on one side more than on the other
// (ceil_mode), and doesn't say which of equal maxima gets the gradient.

class MaxPoolLayer final : public CudaLayer {
 public:
  explicit MaxPoolLayer(const Site& site)
      : engine_(site.engine),
        input_(site.inputs[0]->value),
        value_(site.output.value = site.allocate(site.layer.output)),
        pool_(pool_of(site)),
        chosen_(reinterpret_cast<std::uint16_t*>(
            site.memory.allocate(std::size_t(value_.elements()) * sizeof(std::uint16_t)))) {
    constexpr int kMostPlaces = 1 << 16;
    if (pool_.rows.kernel < kMostPlaces / pool_.columns.kernel) return;
    throw InputError("a window of 2^16 places or more, which the GPU does not take");
  }

  void forward(const Pass&) override {
    with_pool(pool_, value_.dtype, [&](auto* type, auto width) {
      using T = Pointee<decltype(type)>;
      launch_items(engine_, value_.elements() / width,
                   MaxPool<T, width>{pool_, input_.as<T>(), value_.as<T>(), chosen_});
    });
  }

  void prepare_backward(const Site& site) override {
    output_gradient_ = site.output.gradient;
    input_gradient_ = site.input_gradient(0);
  }

  void backward() override {
    with_pool(pool_, value_.dtype, [&](auto* type, auto width) {
      using T = Pointee<decltype(type)>;
      launch_items(engine_, input_.elements() / width,
                   MaxPoolBackward<T, width>{pool_, output_gradient_.as<T>(), chosen_,
                                             input_gradient_.target.as<T>(), input_gradient_.adds});
    });
  }

 private:
  Engine& engine_;
  Tensor input_, value_, output_gradient_;
  Pool pool_;
  std::uint16_t* chosen_;
  Contribution input_gradient_;
};

class AveragePoolLayer final : public CudaLayer {
 public:
  explicit AveragePoolLayer(const Site& site)
      : engine_(site.engine),
        input_(site.inputs[0]->value),
        value_(site.output.value = site.allocate(site.layer.output)),
        average_{pool_of(site),
                 site.layer.kind == LayerKind::kAveragePool && site.layer.options.count_padding} {}

  void forward(const Pass&) override {
    with_pool(average_.pool, value_.dtype, [&](auto* type, auto width) {
      using T = Pointee<decltype(type)>;
      launch_items(engine_, value_.elements() / width,
                   AveragePool<T, width>{average_, input_.as<T>(), value_.as<T>()});
    });
  }

  void prepare_backward(const Site& site) override {
    output_gradient_ = site.output.gradient;
    input_gradient_ = site.input_gradient(0);
  }

  void backward() override {
    with_pool(average_.pool, value_.dtype, [&](auto* type, auto width) {
      using T = Pointee<decltype(type)>;
      launch_items(
          engine_, input_.elements() / width,
          AveragePoolBackward<T, width>{average_, output_gradient_.as<T>(),
                                        input_gradient_.target.as<T>(), input_gradient_.adds});
    });
  }

 private:
  Engine& engine_;
  Tensor input_, value_, output_gradient_;
  Average average_;
  Contribution input_gradient_;
};

}  // namespace

CudaLayerPointer make_pooling(const Site& site) {
  if (site.layer.kind == LayerKind::kMaxPool) return std::make_unique<MaxPoolLayer>(site);
  return std::make_unique<AveragePoolLayer>(site);
}

}  // namespace tandem::cuda
