#include "real/cuda/layers/layer.h"

#include <fmt/format.h>

#include <limits>

#include "core/training/device_layers.h"
#include "real/cuda/kernels/works.h"

namespace tandem::cuda {
namespace {

// Kernels count elements with an int.
void check_size(const Geometry& geometry) {
  if (geometry.elements() <= std::numeric_limits<int>::max()) return;
  throw InputError(fmt::format(
      "{} elements for a batch of {}, but a GPU takes at most 2^31 - 1; lower batch_size",
      geometry.elements(), geometry.batch));
}

/// Both sides' numbers, by type.
template <typename Body>
void with_types(const Tensor& from, const Tensor& to, const Body& body) {
  with_type(from.dtype, [&](auto* from_type) {
    with_type(to.dtype, [&](auto* to_type) {
      using From = Pointee<decltype(from_type)>;
      using To = Pointee<decltype(to_type)>;
      // A network has one 16-bit type at most.
      if constexpr (std::is_same_v<From, To> || std::is_same_v<From, float> ||
                    std::is_same_v<To, float>) {
        body(from.as<From>(), to.as<To>());
      }
    });
  });
}

struct Move {
  int from_channel, to_channel;
  Geometry moved;
  float factor;
  bool adds;
};

void launch_carry(Engine& engine, const Tensor& from, const Tensor& to, const Move& move) {
  with_types(from, to, [&]<typename From, typename To>(From* source, To* target) {
    launch_items(engine, static_cast<int>(move.moved.elements()),
                 Carry<From, To>{{source, from.geometry, move.from_channel},
                                 {target, to.geometry, move.to_channel},
                                 move.moved,
                                 move.factor,
                                 move.adds});
  });
}

/// In the layout of the target.
Geometry laid_out_as(Geometry geometry, const Tensor& target) {
  geometry.layout = target.geometry.layout;
  return geometry;
}

}  // namespace

Tensor Site::allocate(const Shape& shape) const {
  Tensor tensor{nullptr, dtype, {batch_size, shape.channels, shape.height, shape.width, layout}};
  // Where both layouts are the same bytes it goes by the plain one.
  if (tensor.geometry.is_plain()) tensor.geometry.layout = Layout::kPlain;
  check_size(tensor.geometry);
  tensor.data = memory.allocate(tensor.bytes());
  return tensor;
}

bool Site::may_overwrite_input() const {
  return is_done_with(inputs.front()->made_by, inputs.front()->readers);
}

Contribution Site::input_gradient(int input) const {
  Activation& activation = *inputs[input];
  if (activation.gradient_lease) return {activation.gradient, true};
  activation.gradient = activation.value;
  activation.gradient_lease = memory.lease(activation.value.bytes());
  activation.gradient.data = activation.gradient_lease.get();
  return {activation.gradient, false};
}

// Nobody writes to a gradient but the readers of its activation. This must be the only one of
// those, or their last, so that its contribution comes first and the others' when nobody needs this
// alone.
Contribution Site::handed_on(int input, int read_until) const {
  Activation& activation = *inputs[input];
  const bool is_only = activation.readers == 1;
  const bool is_last =
      activation.last_reader == index && activation.reader_before_last < read_until;
  const bool is_same = (is_only || is_last) && activation.value.bytes() == output.gradient.bytes();
  if (!is_same) return input_gradient(input);
  activation.gradient = activation.value;
  activation.gradient.data = output.gradient.data;
  activation.gradient_lease = output.gradient_lease;
  return {activation.gradient, false};
}

void carry(Engine& engine, const Tensor& from, const Tensor& to, float factor, bool adds) {
  constexpr int kFewChannels = 4;
  const Geometry &source = from.geometry, &target = to.geometry;
  const bool lie_alike = source.layout == target.layout || (source.is_plain() && target.is_plain());
  if (!lie_alike && (target.layout == Layout::kPlain || target.channels > kFewChannels)) {
    return launch_carry(engine, from, to, {0, 0, laid_out_as(source, to), factor, adds});
  }
  with_types(from, to, [&]<typename From, typename To>(From* numbers, To* place) {
    if (lie_alike) {
      const CarryAlong<From, To> work{numbers, place, to.elements(), factor, adds};
      launch_items(engine, count_stretches(work.elements, work.kWidth), work);
    } else {
      launch_items(engine, target.batch * target.space(),
                   CarryPixels<From, To>{numbers, place, target, factor, adds});
    }
  });
}

void carry_into(Engine& engine, const Tensor& from, const Tensor& whole, int first_channel) {
  launch_carry(engine, from, whole,
               {0, first_channel, laid_out_as(from.geometry, whole), 1, false});
}

void carry_out_of(Engine& engine, const Tensor& whole, int first_channel, const Tensor& to,
                  bool adds) {
  launch_carry(engine, whole, to, {first_channel, 0, to.geometry, 1, adds});
}

void add_bias(Engine& engine, const Tensor& tensor, const float* bias) {
  with_type(tensor.dtype, [&](auto* type) {
    using T = Pointee<decltype(type)>;
    with_width<T>(tensor.geometry, [&](auto width) {
      const ChannelWalk<width> walk(tensor.geometry);
      launch_items(engine, walk.items(), AddBias<T, width>{tensor.as<T>(), walk, bias});
    });
  });
}

PlainInput::PlainInput(const Site& site) : source_(site.inputs[0]->value), plain_(source_) {
  if (source_.geometry.is_plain()) return;
  plain_.geometry = source_.geometry.plain();
  plain_.data = site.memory.allocate(plain_.bytes());
}

void PlainInput::run(Engine& engine) const {
  if (plain_.data != source_.data) carry(engine, source_, plain_);
}

PlainGradient::PlainGradient(const Site& site)
    : target_(site.input_gradient(0)), plain_(target_.target) {
  if (plain_.geometry.is_plain()) return;
  plain_.geometry = plain_.geometry.plain();
  plain_.data = site.memory.lease(plain_.bytes()).get();  // until the layer has run
}

void PlainGradient::run(Engine& engine) const {
  if (plain_.data != target_.target.data) carry(engine, plain_, target_.target, 1, target_.adds);
}

}  // namespace tandem::cuda
