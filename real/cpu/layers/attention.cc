#include <omp.h>

#include <Eigen/Core>
#include <cmath>

#include "real/cpu/layers/layer.h"

namespace tandem {
namespace {

using Row = Eigen::Map<Eigen::ArrayXf>;

/// A row-major matrix within a larger one.
struct Matrix {
  float* data;
  std::int64_t rows, columns;
  std::int64_t stride;  ///< from one row to the next

  Row row(std::int64_t i, std::int64_t length) const { return {data + i * stride, length}; }
};

enum class Side : char { kAsIs = 'N', kTransposed = 'T' };

/// to = scale * a b, either of them transposed.
void multiply(float scale, const Matrix& a, Side a_side, const Matrix& b, Side b_side,
              const Matrix& to) {
  const std::int64_t inner = a_side == Side::kAsIs ? a.columns : a.rows;
  const auto status =
      dnnl::sgemm(static_cast<char>(a_side), static_cast<char>(b_side), to.rows, to.columns, inner,
                  scale, a.data, a.stride, b.data, b.stride, 0, to.data, to.stride);
  if (status != dnnl::status::success) throw dnnl::error(dnnl_runtime_error, "sgemm");
}

/// Row i of `scores` becomes the softmax of its first i + 1, and 0 beyond: no position sees one
/// after it.
void causal_softmax(const Matrix& scores) {
  for (std::int64_t i = 0; i < scores.rows; ++i) {
    Row seen = scores.row(i, i + 1);
    seen = (seen - seen.maxCoeff()).exp();
    seen /= seen.sum();
    scores.row(i, scores.columns).tail(scores.columns - i - 1).setZero();
  }
}

/// From the gradient by the weights, the softmaxes, to that by the scores.
void softmax_backward(const Matrix& weights, const Matrix& gradient) {
  for (std::int64_t i = 0; i < gradient.rows; ++i) {
    const Row weight = weights.row(i, gradient.columns);
    Row by_weight = gradient.row(i, gradient.columns);
    by_weight = weight * (by_weight - (weight * by_weight).sum());
  }
}

/// Causal scaled dot-product attention of several heads (Vaswani et al., "Attention is all you
/// need", NIPS 2017), without the projections around it: a position's row of the input is its
/// query, key and value, each of `heads` parts. Each head of each sample is computed by one thread,
/// so the bits don't depend on their number.
class Attention final : public CpuLayer {
 public:
  explicit Attention(const Site& site)
      : device_(site.device),
        batch_size_(site.batch_size),
        heads_(site.layer.options.heads),
        positions_(site.layer.output.height),
        width_(site.layer.output.width),
        plain_input_(onednn::plain_like(site.inputs[0]->value.get_desc())),
        source_(in_layout(device_, site.inputs[0]->value, plain_input_)),
        weights_(device_.allocate(onednn::matrix(batch_size_ * heads_ * positions_, positions_))),
        value_(device_.allocate(site.plain(site.layer.output))) {
    site.output.value = value_;
  }

  void forward(const Pass&) override {
    source_.run();
    for_each_head([&](int sample, int head) {
      const Matrix weights = square(weights_, sample * heads_ + head);
      multiply(scale(), part(source_.to(), sample, head, kQuery), Side::kAsIs,
               part(source_.to(), sample, head, kKey), Side::kTransposed, weights);
      causal_softmax(weights);
      multiply(1, weights, Side::kAsIs, part(source_.to(), sample, head, kValue), Side::kAsIs,
               output(value_, sample, head));
    });
  }

  void prepare_backward(const Site& site) override {
    backward_source_ = in_layout(device_, site.inputs[0]->value, plain_input_);
    output_gradient_ = site.output.gradient;
    score_gradients_ = device_.scratch(
        onednn::matrix(std::int64_t(omp_get_max_threads()) * positions_, positions_));
    passes_on_ = site.inputs[0]->needs_gradient;
    if (passes_on_) input_gradient_ = site.input_gradient(0, plain_input_);
  }

  void backward() override {
    if (!passes_on_) return;
    backward_source_.run();
    for_each_head([&](int sample, int head) { backward_of(sample, head); });
    input_gradient_.run();
  }

 private:
  enum Part { kQuery, kKey, kValue };

  void backward_of(int sample, int head) const {
    const dnnl::memory& source = backward_source_.to();
    const dnnl::memory& gradient = input_gradient_.from();
    const Matrix by_output = output(output_gradient_, sample, head);
    const Matrix weights = square(weights_, sample * heads_ + head);
    const Matrix by_scores = square(score_gradients_, omp_get_thread_num());
    multiply(1, weights, Side::kTransposed, by_output, Side::kAsIs,
             part(gradient, sample, head, kValue));
    multiply(1, by_output, Side::kAsIs, part(source, sample, head, kValue), Side::kTransposed,
             by_scores);
    softmax_backward(weights, by_scores);
    multiply(scale(), by_scores, Side::kAsIs, part(source, sample, head, kKey), Side::kAsIs,
             part(gradient, sample, head, kQuery));
    multiply(scale(), by_scores, Side::kTransposed, part(source, sample, head, kQuery), Side::kAsIs,
             part(gradient, sample, head, kKey));
  }

  template <typename Body>
  void for_each_head(const Body& body) const {
    bool has_failed = false;  // no exception may leave a thread
#pragma omp parallel for reduction(|| : has_failed)
    for (int i = 0; i < batch_size_ * heads_; ++i) {
      try {
        body(i / heads_, i % heads_);
      } catch (const dnnl::error&) {
        has_failed = true;
      }
    }
    if (has_failed) throw dnnl::error(dnnl_runtime_error, "a matrix product failed");
  }

  float scale() const {
    return 1 / std::sqrt(static_cast<float>(width_) / static_cast<float>(heads_));
  }

  static float* data(const dnnl::memory& memory) {
    return static_cast<float*>(memory.get_data_handle());
  }

  Matrix part(const dnnl::memory& rows, int sample, int head, Part which) const {
    const std::int64_t stride = 3 * width_, features = width_ / heads_;
    return {data(rows) + sample * positions_ * stride + which * width_ + head * features,
            positions_, features, stride};
  }

  Matrix output(const dnnl::memory& rows, int sample, int head) const {
    const std::int64_t features = width_ / heads_;
    return {data(rows) + sample * positions_ * width_ + head * features, positions_, features,
            width_};
  }

  Matrix square(const dnnl::memory& squares, int index) const {
    return {data(squares) + index * positions_ * positions_, positions_, positions_, positions_};
  }

  Device& device_;
  int batch_size_, heads_;
  std::int64_t positions_, width_;
  onednn::Desc plain_input_;
  Relayout source_;
  dnnl::memory weights_, value_;

  bool passes_on_ = false;
  Relayout backward_source_, input_gradient_;
  dnnl::memory output_gradient_, score_gradients_;
};

}  // namespace

CpuLayerPointer make_attention(const Site& site) {
  return std::make_unique<Attention>(site);
}

}  // namespace tandem
