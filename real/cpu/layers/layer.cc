#include "real/cpu/layers/layer.h"

#include "core/training/device_layers.h"

namespace tandem {
namespace {

onednn::Desc plain_parameter(const onednn::Dims& dims) {
  static constexpr dnnl::memory::format_tag kTags[] = {
      dnnl::memory::format_tag::a, dnnl::memory::format_tag::ab, dnnl::memory::format_tag::abc,
      dnnl::memory::format_tag::abcd, dnnl::memory::format_tag::abcde};
  return {dims, dnnl::memory::data_type::f32, kTags[dims.size() - 1]};
}

dnnl::memory tensor(const Site& site, View arena, int index, const onednn::Dims& dims) {
  const ParameterTensor& place = site.layer.parameters.at(index);
  return site.device.refer(plain_parameter(dims), arena.slice(place.offset, place.elements).data);
}

/// Memory for a gradient that no reader has contributed to yet.
void begin_gradient(Device& device, Activation& activation) {
  const onednn::Desc desc = activation.value.get_desc();
  activation.gradient_lease = device.working_memory().lease(desc.get_size());
  activation.gradient = device.refer(desc, activation.gradient_lease.get());
}

}  // namespace

onednn::Desc Site::plain(const Shape& shape) const {
  return {{batch_size, shape.channels, shape.height, shape.width},
          dnnl::memory::data_type::f32,
          dnnl::memory::format_tag::nchw};
}

dnnl::memory Site::parameter(int index, const onednn::Dims& dims) const {
  return tensor(*this, parameters, index, dims);
}

dnnl::memory Site::parameter_gradient(int index, const onednn::Dims& dims) const {
  return tensor(*this, gradients, index, dims);
}

bool Site::may_overwrite_input() const {
  return is_done_with(inputs.front()->made_by, inputs.front()->readers);
}

Relayout Site::input_gradient(int input, const onednn::Desc& produced) const {
  Activation& activation = *inputs[input];
  if (activation.gradient_lease) {
    return {device, device.scratch(produced), activation.gradient, true};
  }
  begin_gradient(device, activation);
  return out_of_layout(device, produced, activation.gradient);
}

Relayout Site::input_gradient_from(int input, const dnnl::memory& source,
                                   const Lease& lease) const {
  Activation& activation = *inputs[input];
  if (activation.gradient_lease) return {device, source, activation.gradient, true};
  if (lease && activation.readers == 1 && activation.value.get_desc() == source.get_desc()) {
    activation.gradient_lease = lease;
    activation.gradient = source;
  } else {
    begin_gradient(device, activation);
  }
  return {device, source, activation.gradient};
}

Relayout Site::input_gradient_in_place(int input) const {
  const onednn::Desc produced = output.gradient.get_desc();
  const bool shared = output.gradient_lease.use_count() > 1;
  if (shared || inputs[input]->readers > 1) return input_gradient(input, produced);
  return input_gradient_from(input, output.gradient, output.gradient_lease);
}

}  // namespace tandem
