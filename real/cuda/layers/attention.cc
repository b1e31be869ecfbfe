#include <cmath>

#include "real/cuda/kernels/works.h"
#include "real/cuda/layers/layer.h"

namespace tandem::cuda {
namespace {

/// Causal scaled dot-product attention of several heads (Vaswani et al., "Attention is all you
/// need", NIPS 2017), without the projections around it: a position's row of the input is its
/// query, key and value, each of `heads` parts. Each product is that of one head of all samples.
/// Scores are float32; the weights that they become have the type of activations.
class AttentionLayer final : public CudaLayer {
 public:
  explicit AttentionLayer(const Site& site)
      : engine_(site.engine),
        batch_size_(site.batch_size),
        heads_(site.layer.options.heads),
        positions_(site.layer.output.height),
        width_(site.layer.output.width),
        dtype_(site.dtype),
        input_(site.inputs[0]->value),
        value_(site.output.value = site.allocate(site.layer.output)),
        weights_(site.memory.allocate(squares() * size_of(dtype_))) {
    scores_ = float_squares(site, weights_);
  }

  void forward(const Pass&) override {
    for (int head = 0; head < heads_; ++head) {
      multiply(part(input_, head, kQuery), transposed(part(input_, head, kKey)),
               square(scores_, DType::kFloat32, head), scale());
    }
    with_type(dtype_, [&](auto* type) {
      using T = Pointee<decltype(type)>;
      launch_groups(engine_, rows(),
                    CausalSoftmax<T>{reinterpret_cast<const float*>(scores_),
                                     reinterpret_cast<T*>(weights_), positions_});
    });
    for (int head = 0; head < heads_; ++head) {
      multiply(square(weights_, dtype_, head), part(input_, head, kValue), output(value_, head));
    }
  }

  void prepare_backward(const Site& site) override {
    output_gradient_ = site.output.gradient;
    passes_on_ = site.inputs[0]->needs_gradient;
    if (!passes_on_) return;
    input_gradient_ = site.input_gradient(0);
    const Lease by_scores = site.memory.lease(squares() * size_of(dtype_));  // until it has run
    by_scores_ = by_scores.get();
    by_weights_ = float_squares(site, by_scores_);
  }

  void backward() override {
    if (!passes_on_) return;
    const auto& [target, adds] = input_gradient_;
    for (int head = 0; head < heads_; ++head) {
      const Matrix by_output = output(output_gradient_, head);
      multiply(transposed(square(weights_, dtype_, head)), by_output, part(target, head, kValue), 1,
               adds);
      multiply(by_output, transposed(part(input_, head, kValue)),
               square(by_weights_, DType::kFloat32, head));
    }
    with_type(dtype_, [&](auto* type) {
      using T = Pointee<decltype(type)>;
      launch_groups(engine_, rows(),
                    SoftmaxBackward<T>{reinterpret_cast<const T*>(weights_),
                                       reinterpret_cast<const float*>(by_weights_),
                                       reinterpret_cast<T*>(by_scores_), positions_});
    });
    for (int head = 0; head < heads_; ++head) {
      const Matrix by_scores = square(by_scores_, dtype_, head);
      multiply(by_scores, part(input_, head, kKey), part(target, head, kQuery), scale(), adds);
      multiply(transposed(by_scores), part(input_, head, kQuery), part(target, head, kKey), scale(),
               adds);
    }
  }

 private:
  enum Part { kQuery, kKey, kValue };

  float scale() const {
    return 1 / std::sqrt(static_cast<float>(width_) / static_cast<float>(heads_));
  }
  int rows() const { return batch_size_ * heads_ * positions_; }
  std::size_t squares() const { return std::size_t(rows()) * positions_; }

  /// Squares of float32: those of the other type where that is the same, else scratch of a pass.
  std::byte* float_squares(const Site& site, std::byte* others) const {
    if (dtype_ == DType::kFloat32) return others;
    return site.memory.lease(squares() * sizeof(float)).get();
  }

  void multiply(const Matrix& a, const Matrix& b, const Matrix& to, float factor = 1,
                bool adds = false) {
    engine_.multiply(
        {.a = a, .b = b, .to = to, .factor = factor, .adds = adds, .count = batch_size_});
  }

  static Matrix transposed(Matrix matrix) {
    matrix.transposed = true;
    return matrix;
  }

  /// A head's columns of a tensor with `row_width` numbers a position, for every sample.
  Matrix columns(const Tensor& tensor, int row_width, int first) const {
    return {.data = tensor.data + std::size_t(first) * size_of(dtype_),
            .dtype = dtype_,
            .rows = positions_,
            .columns = width_ / heads_,
            .stride = row_width,
            .step = std::int64_t(positions_) * row_width};
  }
  Matrix part(const Tensor& tensor, int head, Part which) const {
    return columns(tensor, 3 * width_, which * width_ + head * (width_ / heads_));
  }
  Matrix output(const Tensor& tensor, int head) const {
    return columns(tensor, width_, head * (width_ / heads_));
  }

  /// A head's squares, for every sample.
  Matrix square(std::byte* squares, DType dtype, int head) const {
    const std::int64_t elements = std::int64_t(positions_) * positions_;
    return {.data = squares + head * elements * static_cast<std::int64_t>(size_of(dtype)),
            .dtype = dtype,
            .rows = positions_,
            .columns = positions_,
            .stride = positions_,
            .step = heads_ * elements};
  }

  Engine& engine_;
  int batch_size_, heads_, positions_, width_;
  DType dtype_;
  Tensor input_, value_;
  std::byte* weights_;
  std::byte* scores_;

  bool passes_on_ = false;
  Tensor output_gradient_;
  Contribution input_gradient_;
  std::byte* by_scores_ = nullptr;
  std::byte* by_weights_ = nullptr;
};

}  // namespace

CudaLayerPointer make_attention(const Site& site) {
  return std::make_unique<AttentionLayer>(site);
}

}  // namespace tandem::cuda
