#include "real/cuda/layers/channel_sums.h"

namespace tandem::cuda {
namespace {

/// The vector of each token plus that of its position. Tokens are float32 whatever the arithmetic:
/// 16 bits couldn't tell them apart.
class EmbeddingLayer final : public CudaLayer {
 public:
  explicit EmbeddingLayer(const Site& site)
      : engine_(site.engine),
        positions_(site.layer.output.height),
        rows_(site.batch_size * positions_),
        width_(site.layer.options.outputs),
        vocabulary_(site.layer.options.vocabulary),
        gradient_scale_(site.gradient_scale),
        tokens_(site.inputs[0]->value.as<float>()),
        token_table_(site.parameter(0)),
        position_table_(site.parameter(1)),
        value_(site.output.value = site.allocate(site.layer.output)) {}

  void forward(const Pass&) override {
    with_type(value_.dtype, [&](auto* type) {
      using T = Pointee<decltype(type)>;
      launch_items(
          engine_, value_.elements(),
          Embed<T>{tokens_, token_table_, position_table_, positions_, width_, value_.as<T>()});
    });
  }

  void prepare_backward(const Site& site) override {
    output_gradient_ = site.output.gradient;
    token_gradient_ = site.parameter_gradient(0);
    position_gradient_ = site.parameter_gradient(1);
    const std::size_t bytes = std::size_t(rows_) * sizeof(int);
    next_ = reinterpret_cast<int*>(site.memory.allocate(bytes));
    has_earlier_ = reinterpret_cast<int*>(site.memory.allocate(bytes));
    position_sums_ =
        ChannelSums(site.memory, ChannelSums::columns(rows_ / positions_, positions_ * width_));
  }

  void backward() override {
    const float factor = 1 / gradient_scale_;
    engine_.zero(reinterpret_cast<std::byte*>(token_gradient_),
                 std::size_t(vocabulary_) * width_ * sizeof(float));
    launch_items(engine_, rows_, LinkTokens{tokens_, rows_, next_, has_earlier_});
    with_type(value_.dtype, [&](auto* type) {
      using T = Pointee<decltype(type)>;
      const T* gradient = output_gradient_.as<T>();
      launch_items(engine_, value_.elements(),
                   EmbedBackward<T>{tokens_, next_, has_earlier_, gradient, rows_, width_, factor,
                                    token_gradient_});
      position_sums_.add_up(engine_, Value<T>{gradient});
    });
    position_sums_.leave(engine_, position_gradient_, nullptr, factor);
  }

 private:
  Engine& engine_;
  int positions_, rows_, width_, vocabulary_;
  float gradient_scale_;
  const float* tokens_;
  const float* token_table_;
  const float* position_table_;
  Tensor value_, output_gradient_;
  float* token_gradient_ = nullptr;
  float* position_gradient_ = nullptr;
  int* next_ = nullptr;
  int* has_earlier_ = nullptr;
  ChannelSums position_sums_;
};

}  // namespace

CudaLayerPointer make_embedding(const Site& site) {
  return std::make_unique<EmbeddingLayer>(site);
}

}  // namespace tandem::cuda
