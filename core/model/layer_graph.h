#pragma once

#include <boost/graph/adjacency_list.hpp>
#include <span>
#include <string>
#include <unordered_set>
#include <vector>

#include "core/comm/kernel.h"
#include "core/model/layer.h"

namespace tandem {

/// A model as a directed acyclic graph of layers. Layers are added inputs first, so their order of
/// addition, which layers() keeps, is a topological order: forward walks it, backward walks it in
/// reverse. Parameters lie in one flat arena in the same order, so the layers that backward
/// finishes first lie at its end and a bucket is a contiguous slice.
class LayerGraph {
 public:
  using Dag = boost::adjacency_list<boost::vecS, boost::vecS, boost::bidirectionalS>;

  explicit LayerGraph(std::string name, Shape input);

  /// Adds a layer that reads `inputs` (indices from earlier add() calls; 0 is the input) and infers
  /// its shape, parameters and costs. Throws InputError naming the layer where its options don't
  /// fit its inputs.
  int add(std::string name, LayerKind kind, LayerOptions options, std::vector<int> inputs);

  /// The layers [first, last] as a graph of their own, whose input is the output of layer first -
  /// 1: layer i is layer i - first + 1 there. It has a gradient by its input where that layer has
  /// one, and no loss where `last` is none. Parameters are counted from 0. Requires that those
  /// layers read nothing else from before them (partition.h).
  LayerGraph stage(int first, int last) const;
  /// Whether it was made by stage().
  bool is_stage() const { return is_stage_; }

  const std::string& name() const { return name_; }
  Shape input() const { return layers_.front().output; }
  /// Outputs of the layer before the loss, for each label.
  int classes() const;
  /// Labels of a sample: 1, or of a sequence one a position.
  int labels() const;
  /// Tokens that the model knows, where it takes tokens; else 0.
  int vocabulary() const;
  std::span<const Layer> layers() const { return layers_; }
  /// Edges go from a layer to those that read it; vertex i is layers()[i].
  const Dag& dag() const { return dag_; }

  std::size_t parameter_elements() const { return parameter_elements_; }
  /// Bytes of a float32 checkpoint: parameters and the running mean and variance of batch norms. It
  /// is what papers call a model's size.
  std::size_t checkpoint_bytes() const;
  double forward_flops() const;   ///< of one sample
  double backward_flops() const;  ///< of one sample
  /// Of one sample's forward pass: what papers call a model's FLOPs, counting convolutions, linear
  /// layers and attention only and a multiply-add once.
  double multiply_adds() const;
  /// Bytes of all layers' outputs for one sample in float32: what backward needs kept, an upper
  /// bound.
  std::size_t activation_bytes() const;

 private:
  /// Fills in what follows from a new layer's options and inputs.
  void connect(Layer& layer) const;
  void check_place(const Layer& layer) const;
  /// The shape that the loss is taken of.
  Shape scores() const;

  std::string name_;
  std::vector<Layer> layers_;
  std::unordered_set<std::string> names_;  ///< of the layers
  Dag dag_;
  std::size_t parameter_elements_ = 0;
  bool is_stage_ = false;
};

/// The cost of a layer's forward or backward kernel for a batch, without a body. The name refers
/// into `graph`.
Kernel layer_kernel(const LayerGraph& graph, int layer, Phase phase, int batch_size);

}  // namespace tandem
