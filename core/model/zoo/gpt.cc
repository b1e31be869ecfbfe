#include <fmt/format.h>

#include "core/base/error.h"
#include "core/model/zoo/builder.h"
#include "core/model/zoo/families.h"

namespace tandem::zoo {
namespace {

void check(const Target& target) {
  constexpr int kWidest = 1 << 28;  // four times which is an int
  const TransformerShape& shape = target.transformer;
  if (shape.width > kWidest)
    throw InputError(fmt::format("model '{}': width is {}; it must be at most {}", target.name,
                                 shape.width, kWidest));
  if (shape.heads < 1 || shape.width < 1 || shape.width % shape.heads != 0) {
    throw InputError(
        fmt::format("model '{}': width is {}, heads is {}; width must be a multiple of heads",
                    target.name, shape.width, shape.heads));
  }
  if (shape.layers < 1) {
    throw InputError(
        fmt::format("model '{}': layers is {}; it must be at least 1", target.name, shape.layers));
  }
}

void attend(Builder& net, const std::string& name, const TransformerShape& shape) {
  const int residual = net.last();
  net.simple(name + ".norm1", LayerKind::kLayerNorm);
  net.row_linear(name + ".qkv", 3 * shape.width);
  net.attention(name + ".attention", shape.heads);
  const int projected = net.row_linear(name + ".projection", shape.width);
  net.add(name + ".add1", projected, residual);
}

void feed_forward(Builder& net, const std::string& name, const TransformerShape& shape) {
  const int residual = net.last();
  net.simple(name + ".norm2", LayerKind::kLayerNorm);
  net.row_linear(name + ".fc1", 4 * shape.width);
  net.simple(name + ".gelu", LayerKind::kGelu);
  const int projected = net.row_linear(name + ".fc2", shape.width);
  net.add(name + ".add2", projected, residual);
}

}  // namespace

LayerGraph gpt(const Target& target) {
  check(target);
  const TransformerShape& shape = target.transformer;
  Builder net(target.name, {1, shape.sequence, 1});
  net.embedding("embedding", shape.vocabulary, shape.width);
  for (int block = 1; block <= shape.layers; ++block) {
    attend(net, fmt::format("block{}", block), shape);
    feed_forward(net, fmt::format("block{}", block), shape);
  }
  net.simple("norm", LayerKind::kLayerNorm);
  net.row_linear("head", shape.vocabulary, /*bias=*/false);
  return net.finish();
}

}  // namespace tandem::zoo
