#include "real/cpu/network.h"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <cassert>
#include <deque>
#include <string>

#include "core/base/error.h"
#include "core/training/device_layers.h"
#include "real/cpu/layers/layer.h"
#include "real/cpu/layout.h"

namespace tandem {
namespace {

class CpuNetwork final : public Network {
 public:
  CpuNetwork(const LayerGraph& graph, int batch_size, View parameters, View gradients, int threads,
             DType factors)
      : label_count_(std::size_t(batch_size) * graph.labels()), threads_(threads) {
    const auto layers = graph.layers();
    activations_.resize(layers.size());
    for (const Layer& layer : layers) names_.push_back(layer.name);
    for (std::size_t i = 0; i < layers.size(); ++i) {
      activations_[i].made_by = layers[i].kind;
      activations_[i].needs_gradient = layers[i].needs_gradient;
      activations_[i].readers = static_cast<int>(boost::out_degree(i, graph.dag()));
      for (const int input : layers[i].inputs) activations_[input].read_by = layers[i].kind;
    }
    const bool channels_last = channels_go_last(graph);
    const onednn::Type type = factors == DType::kBFloat16 ? onednn::Type::bf16 : onednn::Type::f32;
    const auto site = [&](int index) {
      Site result{device_,    layers[index], index,         batch_size, {}, activations_[index],
                  parameters, gradients,     channels_last, type};
      for (const int input : layers[index].inputs) result.inputs.push_back(&activations_[input]);
      return result;
    };
    const int count = static_cast<int>(layers.size());
    guarded(0, [&] { activations_[0].value = device_.allocate(site(0).plain(graph.input())); });
    layers_.resize(count);
    for (int i = 1; i < count; ++i) guarded(i, [&] { prepare_forward(site(i)); });
    if (!loss_) guarded(count - 1, [&] { prepare_output(site(count - 1)); });
    for (int i = count - 1; i > 0; --i) guarded(i, [&] { prepare_backward(site(i)); });
  }

  void load(const Batch& batch, Mode mode, std::uint64_t dropout_seed) override {
    assert(!loss_ || batch.labels.size() == label_count_);
    const std::span<float> input = floats_of(activations_[0].value);
    assert(batch.images.size() == input.size());
    std::ranges::copy(batch.images, input.begin());
    labels_.assign(batch.labels.begin(), batch.labels.end());
    pass_ = {mode, dropout_seed, labels_};
  }

  void forward(int layer) override {
    if (layers_[layer]) guarded(layer, [&] { layers_[layer]->forward(pass_); });
  }

  void backward(int layer) override {
    if (layers_[layer] && activations_[layer].needs_gradient) {
      guarded(layer, [&] { layers_[layer]->backward(); });
    }
  }

  void sum_statistics(int layer, Phase phase, View sums) override {
    guarded(layer, [&] { layers_[layer]->sum_statistics(phase, sums); });
  }

  void share_statistics(const Network& other) override {
    const auto& layers = static_cast<const CpuNetwork&>(other).layers_;
    for (std::size_t i = 1; i < layers_.size(); ++i) layers_[i]->share_statistics(*layers[i]);
  }

  void visit_state(StateVisitor& visitor) override {
    for (std::size_t i = 1; i < layers_.size(); ++i) {
      if (layers_[i]) layers_[i]->visit_state(visitor, names_[i]);
    }
  }

  void copy_output(std::span<float> output) const override {
    guarded(static_cast<int>(layers_.size()) - 1, [&] { output_.run(); });
    std::ranges::copy(floats_of(output_.to()), output.begin());
  }

  void load_output_gradient(std::span<const float> gradient) override {
    std::ranges::copy(gradient, floats_of(output_gradient_.from()).begin());
    guarded(static_cast<int>(layers_.size()) - 1, [&] { output_gradient_.run(); });
  }

  void copy_input_gradient(std::span<float> gradient) const override {
    std::ranges::copy(floats_of(activations_[0].gradient), gradient.begin());
  }

  double loss() const override { return loss_->loss(); }
  int correct() const override { return loss_->correct(); }

 private:
  /// oneDNN plans for a number of threads when a primitive is made, so it runs with the same.
  template <typename Body>
  void guarded(int layer, const Body& body) const {
    omp_set_num_threads(threads_);
    try {
      body();
    } catch (const dnnl::error& error) {
      throw RunError(fmt::format("layer '{}' ({}): oneDNN: {}", names_[layer],
                                 to_string(activations_[layer].made_by), error.what()));
    }
  }

  void prepare_forward(const Site& site) {
    if (site.layer.kind == LayerKind::kSoftmaxLoss) {
      auto loss = make_softmax_loss(site);
      loss_ = loss.get();
      layers_[site.index] = std::move(loss);
    } else {
      layers_[site.index] = make_layer(site);
    }
    device_.end_layer();
  }

  /// Of a stage: its output in the plain layout, and the gradient by it from there.
  void prepare_output(const Site& site) {
    const onednn::Desc plain = site.plain(site.layer.output);
    const onednn::Desc layout = site.output.value.get_desc();
    output_ = in_layout(device_, site.output.value, plain);
    site.output.gradient_lease = device_.working_memory().lease(layout.get_size());
    site.output.gradient = device_.refer(layout, site.output.gradient_lease.get());
    output_gradient_ = out_of_layout(device_, plain, site.output.gradient);
    device_.end_layer();
  }

  void prepare_backward(const Site& site) {
    if (!site.output.needs_gradient) return;
    layers_[site.index]->prepare_backward(site);
    site.output.gradient_lease.reset();  // free for the layers before this one
    device_.end_layer();
  }

  std::size_t label_count_;  ///< of a batch
  int threads_;
  Device device_;
  std::vector<std::string> names_;
  std::deque<Activation> activations_;  ///< what each layer makes
  std::vector<CpuLayerPointer> layers_;
  LossLayer* loss_ = nullptr;          ///< the last of layers_, but of a stage that has none
  Relayout output_, output_gradient_;  ///< of such a stage
  std::vector<std::int32_t> labels_;
  Pass pass_;
};

}  // namespace

NetworkFactory cpu_network(int threads, DType factors) {
  assert(threads >= 1);
  assert(factors == DType::kFloat32 || factors == DType::kBFloat16);
  return [=](const LayerGraph& graph, int batch_size, View parameters, View gradients) {
    check_trainable(graph);
    return std::make_unique<CpuNetwork>(graph, batch_size, parameters, gradients, threads, factors);
  };
}

DType factors_of_products(const PrecisionSpec& precision) {
  // An instruction set's bits are those of all that it includes, and its own.
  const int wanted = static_cast<int>(dnnl::cpu_isa::avx512_core_bf16);
  const int here = static_cast<int>(dnnl::get_effective_cpu_isa());
  return precision.name == "bf16" && (here & wanted) == wanted ? DType::kBFloat16 : DType::kFloat32;
}

}  // namespace tandem
