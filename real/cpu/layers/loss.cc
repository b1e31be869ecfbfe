#include <Eigen/Core>
#include <algorithm>
#include <cmath>

#include "core/data/dataset.h"
#include "real/cpu/layers/layer.h"

namespace tandem {
namespace {

using Matrix = Eigen::Map<Eigen::Array<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>;

/// Softmax and cross-entropy in one: the gradient by the logits is (p - onehot) / samples. Samples
/// are those that have a label, or of a sequence each position that has one.
class SoftmaxLoss final : public LossLayer {
 public:
  explicit SoftmaxLoss(const Site& site)
      : rows_(site.batch_size * rows_of(site.layer.output).count),
        classes_(rows_of(site.layer.output).features) {
    const onednn::Desc plain = site.plain(site.layer.output);
    logits_ = site.inputs[0]->value;
    plain_logits_ = in_layout(site.device, logits_, plain);
    value_ = site.output.value = site.device.allocate(plain);
  }

  void forward(const Pass& pass) override {
    plain_logits_.run();
    labels_ = pass.labels;
    const Matrix logits = matrix(plain_logits_.to());
    Matrix probabilities = matrix(value_);
    double sum = 0;
    samples_ = correct_ = 0;
    for (int row = 0; row < rows_; ++row) {
      const float largest = logits.row(row).maxCoeff();
      probabilities.row(row) = (logits.row(row) - largest).exp();
      const float total = probabilities.row(row).sum();
      probabilities.row(row) /= total;
      if (labels_[row] == kNoLabel) continue;
      ++samples_;
      sum += std::log(double(total)) - (double(logits(row, labels_[row])) - largest);
      Eigen::Index best = 0;
      logits.row(row).maxCoeff(&best);
      correct_ += best == labels_[row];
    }
    loss_ = samples_ > 0 ? sum / samples_ : 0;
  }

  void prepare_backward(const Site& site) override {
    logits_gradient_ = site.input_gradient(0, value_.get_desc());
  }

  void backward() override {
    Matrix gradient = matrix(logits_gradient_.from());
    gradient = matrix(value_) / static_cast<float>(std::max(samples_, 1));
    for (int row = 0; row < rows_; ++row) {
      if (labels_[row] == kNoLabel) {
        gradient.row(row).setZero();
      } else {
        gradient(row, labels_[row]) -= 1 / static_cast<float>(samples_);
      }
    }
    logits_gradient_.run();
  }

  double loss() const override { return loss_; }
  int correct() const override { return correct_; }

 private:
  Matrix matrix(const dnnl::memory& memory) const {
    return {static_cast<float*>(memory.get_data_handle()), rows_, classes_};
  }

  int rows_, classes_;
  dnnl::memory logits_, value_;
  Relayout plain_logits_, logits_gradient_;
  std::span<const std::int32_t> labels_;
  int samples_ = 0, correct_ = 0;
  double loss_ = 0;
};

}  // namespace

std::unique_ptr<LossLayer> make_softmax_loss(const Site& site) {
  return std::make_unique<SoftmaxLoss>(site);
}

}  // namespace tandem
