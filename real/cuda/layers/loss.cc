#include <algorithm>

#include "real/cuda/kernels/works.h"
#include "real/cuda/layers/layer.h"

namespace tandem::cuda {
namespace {

/// Softmax and cross-entropy in one. Samples are those that have a label, or of a sequence each
/// position that has one.
class SoftmaxLossLayer final : public LossLayer {
 public:
  explicit SoftmaxLossLayer(const Site& site)
      : engine_(site.engine),
        rows_(site.batch_size * rows_of(site.layer.output).count),
        classes_(rows_of(site.layer.output).features),
        gradient_scale_(site.gradient_scale),
        labels_(site.labels),
        logits_(site),
        probabilities_(reinterpret_cast<float*>(
            site.memory.allocate(std::size_t(rows_) * classes_ * sizeof(float)))),
        row_sums_(sums(site.memory.allocate(std::size_t(rows_) * sizeof(LossSums)))),
        total_(sums(site.memory.allocate(sizeof(LossSums)))),
        host_total_(engine_.allocate_host(sizeof(LossSums))) {
    site.output.value = logits_.tensor();  // which nobody reads
  }

  void forward(const Pass&) override {
    logits_.run(engine_);
    with_type(logits_.tensor().dtype, [&](auto* type) {
      using T = Pointee<decltype(type)>;
      launch_groups(
          engine_, rows_,
          SoftmaxLoss<T>{logits_.tensor().as<T>(), labels_, classes_, probabilities_, row_sums_});
    });
    launch_groups(engine_, 1, TotalLoss{row_sums_, rows_, total_});
    engine_.copy_out(Queue::kCompute, host_total_.get(), reinterpret_cast<std::byte*>(total_),
                     sizeof(LossSums));
  }

  void prepare_backward(const Site& site) override { logits_gradient_ = PlainGradient(site); }

  void backward() override {
    const Tensor& gradient = logits_gradient_.tensor();
    with_type(gradient.dtype, [&](auto* type) {
      using T = Pointee<decltype(type)>;
      launch_items(
          engine_, gradient.elements(),
          SoftmaxLossBackward<T>{probabilities_, labels_, total_, classes_, gradient_scale_,
                                 gradient.as<T>(), logits_gradient_.adds()});
    });
    logits_gradient_.run(engine_);
  }

  double loss() const override { return total().loss / std::max(total().samples, 1); }
  int correct() const override { return total().correct; }

 private:
  static LossSums* sums(std::byte* memory) { return reinterpret_cast<LossSums*>(memory); }

  const LossSums& total() const { return *sums(host_total_.get()); }

  Engine& engine_;
  int rows_, classes_;
  float gradient_scale_;
  const std::int32_t* labels_;
  PlainInput logits_;
  float* probabilities_;
  LossSums* row_sums_;
  LossSums* total_;
  Storage host_total_;
  PlainGradient logits_gradient_;
};

}  // namespace

std::unique_ptr<LossLayer> make_softmax_loss(const Site& site) {
  return std::make_unique<SoftmaxLossLayer>(site);
}

}  // namespace tandem::cuda
