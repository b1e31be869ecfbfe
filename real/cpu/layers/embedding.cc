#include <Eigen/Core>
#include <cassert>

#include "real/cpu/layers/layer.h"

namespace tandem {
namespace {

using Rows = Eigen::Map<Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>;

/// The vector of each token plus that of its position.
class Embedding final : public CpuLayer {
 public:
  explicit Embedding(const Site& site)
      : positions_(site.layer.output.height),
        rows_(site.batch_size * positions_),
        width_(site.layer.options.outputs),
        vocabulary_(site.layer.options.vocabulary),
        tokens_(site.inputs[0]->value),
        token_table_(site.parameter(0, {vocabulary_, width_})),
        position_table_(site.parameter(1, {positions_, width_})),
        value_(site.device.allocate(site.plain(site.layer.output))) {
    site.output.value = value_;
  }

  void forward(const Pass&) override {
    const Rows of_tokens = matrix(token_table_, vocabulary_);
    const Rows of_positions = matrix(position_table_, positions_);
    Rows output = matrix(value_, rows_);
    for (int row = 0; row < rows_; ++row) {
      output.row(row) = of_tokens.row(token(row)) + of_positions.row(row % positions_);
    }
  }

  void prepare_backward(const Site& site) override {
    output_gradient_ = site.output.gradient;
    token_gradient_ = site.parameter_gradient(0, {vocabulary_, width_});
    position_gradient_ = site.parameter_gradient(1, {positions_, width_});
  }

  void backward() override {
    const Rows output = matrix(output_gradient_, rows_);
    Rows of_tokens = matrix(token_gradient_, vocabulary_);
    Rows of_positions = matrix(position_gradient_, positions_);
    of_tokens.setZero();
    of_positions.setZero();
    for (int row = 0; row < rows_; ++row) {
      of_tokens.row(token(row)) += output.row(row);
      of_positions.row(row % positions_) += output.row(row);
    }
  }

 private:
  Rows matrix(const dnnl::memory& memory, int rows) const {
    return {static_cast<float*>(memory.get_data_handle()), rows, width_};
  }

  int token(int row) const {
    const int number = static_cast<int>(static_cast<float*>(tokens_.get_data_handle())[row]);
    assert(number >= 0 && number < vocabulary_);
    return number;
  }

  int positions_, rows_, width_, vocabulary_;
  dnnl::memory tokens_, token_table_, position_table_, value_;
  dnnl::memory output_gradient_, token_gradient_, position_gradient_;
};

}  // namespace

CpuLayerPointer make_embedding(const Site& site) {
  return std::make_unique<Embedding>(site);
}

}  // namespace tandem
