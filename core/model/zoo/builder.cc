#include "core/model/zoo/builder.h"

namespace tandem::zoo {
namespace {

LayerOptions options_of(Window window) {
  LayerOptions options;
  options.kernel_height = window.kernel.height;
  options.kernel_width = window.kernel.width;
  options.stride_height = options.stride_width = window.stride;
  options.padding_height = window.padding.height;
  options.padding_width = window.padding.width;
  return options;
}

}  // namespace

int Builder::append(const std::string& name, LayerKind kind, const LayerOptions& options) {
  last_ = graph_.add(name, kind, options, {last_});
  return last_;
}

int Builder::convolution(const std::string& name, int outputs, Window window, bool bias,
                         int groups) {
  LayerOptions options = options_of(window);
  options.outputs = outputs;
  options.bias = bias;
  options.groups = groups;
  return append(name, LayerKind::kConvolution, options);
}

int Builder::linear(const std::string& name, int outputs) {
  LayerOptions options;
  options.outputs = outputs;
  return append(name, LayerKind::kLinear, options);
}

int Builder::row_linear(const std::string& name, int outputs, bool bias) {
  LayerOptions options;
  options.outputs = outputs;
  options.bias = bias;
  options.each_row = true;
  return append(name, LayerKind::kLinear, options);
}

int Builder::embedding(const std::string& name, int vocabulary, int outputs) {
  LayerOptions options;
  options.vocabulary = vocabulary;
  options.outputs = outputs;
  return append(name, LayerKind::kEmbedding, options);
}

int Builder::attention(const std::string& name, int heads) {
  LayerOptions options;
  options.heads = heads;
  return append(name, LayerKind::kAttention, options);
}

int Builder::batch_norm(const std::string& name, double epsilon) {
  LayerOptions options;
  options.epsilon = epsilon;
  return append(name, LayerKind::kBatchNorm, options);
}

int Builder::max_pool(const std::string& name, Window window, bool ceil_mode) {
  LayerOptions options = options_of(window);
  options.ceil_mode = ceil_mode;
  return append(name, LayerKind::kMaxPool, options);
}

int Builder::average_pool(const std::string& name, Window window) {
  return append(name, LayerKind::kAveragePool, options_of(window));
}

int Builder::add(const std::string& name, int one, int other) {
  last_ = graph_.add(name, LayerKind::kAdd, {}, {one, other});
  return last_;
}

int Builder::concat(const std::string& name, std::vector<int> inputs) {
  last_ = graph_.add(name, LayerKind::kConcat, {}, std::move(inputs));
  return last_;
}

int Builder::simple(const std::string& name, LayerKind kind) {
  return append(name, kind, {});
}

int Builder::dropout(const std::string& name, double probability) {
  LayerOptions options;
  options.probability = probability;
  return append(name, LayerKind::kDropout, options);
}

int Builder::convolution_norm(const std::string& name, int outputs, Window window,
                              LayerKind activation, int groups, double epsilon) {
  convolution(name, outputs, window, /*bias=*/false, groups);
  batch_norm(name + ".bn", epsilon);
  return simple(name + ".relu", activation);
}

LayerGraph Builder::finish() {
  append("loss", LayerKind::kSoftmaxLoss, {});
  return std::move(graph_);
}

}  // namespace tandem::zoo
