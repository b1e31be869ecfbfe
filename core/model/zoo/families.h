#pragma once

#include <string>

#include "core/model/layer_graph.h"
#include "core/model/transformer_shape.h"

namespace tandem::zoo {

/// What a model of the zoo is made for: its input and number of classes, resolved.
struct Target {
  std::string name;
  Shape input;
  int classes;
  TransformerShape transformer = {};
};

/// The network of the well-known Horovod and PyTorch MNIST example, without its dropout: two 5x5
/// convolutions, each with pool and ReLU, and two linear layers; 21,840 parameters.
LayerGraph mnist_cnn(const Target& target);

/// The network of PyTorch's and DeepSpeed's CIFAR-10 tutorials, LeNet-5 with ReLU and max pools:
/// two 5x5 convolutions of 6 and 16 channels, each with ReLU and pool, and three linear layers;
/// 62,006 parameters.
LayerGraph cifar10_cnn(const Target& target);

/// Krizhevsky, "One weird trick for parallelizing convolutional neural networks", 2014: one column,
/// no local response normalisation. Its first linear layer takes whatever the last pool leaves.
LayerGraph alexnet(const Target& target);

/// Simonyan and Zisserman, "Very deep convolutional networks for large-scale image recognition",
/// ICLR 2015, configurations D and E. The first linear layer takes whatever the last pool leaves.
LayerGraph vgg16(const Target& target);
LayerGraph vgg19(const Target& target);

/// He et al., "Deep residual learning for image recognition", CVPR 2016, as first published: a
/// bottleneck's stride lies in its first 1x1 convolution.
LayerGraph resnet50(const Target& target);
LayerGraph resnet152(const Target& target);

/// Szegedy et al., "Rethinking the Inception architecture for computer vision", CVPR 2016, without
/// the auxiliary classifier.
LayerGraph inception_v3(const Target& target);

/// Sandler et al., "MobileNetV2: inverted residuals and linear bottlenecks", CVPR 2018, width 1.
LayerGraph mobilenet_v2(const Target& target);

/// Radford et al., "Language models are unsupervised multitask learners" (GPT-2), 2019: a decoder
/// with learned positions, the norm before attention and before the two linear layers of each
/// block, and GELU, without dropout. Its head has weights of its own, which in GPT-2 are the
/// embedding's: vocabulary * width parameters more than published. Input and classes follow from
/// Target::transformer.
LayerGraph gpt(const Target& target);

/// A plain network over the nine figures of an SDSS object (right ascension, declination, u, g, r,
/// i, z, redshift, MJD): linear layers of 256, 128 and 64, and galaxy, star or quasar.
LayerGraph sdss_dnn(const Target& target);

}  // namespace tandem::zoo
