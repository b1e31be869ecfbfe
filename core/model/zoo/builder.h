#pragma once

#include <string>
#include <utility>

#include "core/model/layer_graph.h"

namespace tandem::zoo {

/// Height and width, where the two may differ.
struct Extent {
  int height;
  int width;
};

/// A window of a convolution or pool, square unless said otherwise.
struct Window {
  explicit Window(int kernel, int stride = 1, int padding = 0)
      : Window(Extent{kernel, kernel}, stride, Extent{padding, padding}) {}
  Window(Extent kernel, int stride, Extent padding)
      : kernel(kernel), stride(stride), padding(padding) {}

  Extent kernel;
  int stride;
  Extent padding;
};

/// Adds layers to a graph one after the other, each reading the layer before it or, where a branch
/// begins, the one that at() went to. Functions return the index of the layer they added.
class Builder {
 public:
  Builder(const std::string& name, Shape input) : graph_(name, input) {}

  /// The layer that the next one reads.
  int last() const { return last_; }
  Builder& at(int layer) {
    last_ = layer;
    return *this;
  }
  Shape shape() const { return graph_.layers()[last_].output; }

  int convolution(const std::string& name, int outputs, Window window, bool bias = true,
                  int groups = 1);
  int linear(const std::string& name, int outputs);
  /// Of each row by itself.
  int row_linear(const std::string& name, int outputs, bool bias = true);
  int embedding(const std::string& name, int vocabulary, int outputs);
  int attention(const std::string& name, int heads);
  int batch_norm(const std::string& name, double epsilon = 1e-5);
  int max_pool(const std::string& name, Window window, bool ceil_mode = false);
  int average_pool(const std::string& name, Window window);
  int add(const std::string& name, int one, int other);
  int concat(const std::string& name, std::vector<int> inputs);
  /// Kinds that need no options: relu, relu6, gelu, layer_norm, global_average_pool, flatten.
  int simple(const std::string& name, LayerKind kind);
  int relu(const std::string& name) { return simple(name, LayerKind::kRelu); }
  int dropout(const std::string& name, double probability);

  /// Convolution without bias, batch norm, and `activation`: NAME, NAME.bn, NAME.relu.
  int convolution_norm(const std::string& name, int outputs, Window window,
                       LayerKind activation = LayerKind::kRelu, int groups = 1,
                       double epsilon = 1e-5);

  /// Ends the model with its loss and hands it over.
  LayerGraph finish();

 private:
  int append(const std::string& name, LayerKind kind, const LayerOptions& options);

  LayerGraph graph_;
  int last_ = 0;
};

}  // namespace tandem::zoo
