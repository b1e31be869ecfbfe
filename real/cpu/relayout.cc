#include "real/cpu/relayout.h"

#include <utility>

namespace tandem {

Relayout::Relayout(Device& device, dnnl::memory from, dnnl::memory to, bool adds)
    : device_(&device), from_(std::move(from)), to_(std::move(to)) {
  is_needed_ = from_.get_data_handle() != to_.get_data_handle();
  if (!is_needed_) return;
  dnnl::primitive_attr attributes;
  if (adds) {
    dnnl::post_ops sum;
    sum.append_sum(1.0F);
    attributes.set_post_ops(sum);
  }
  reorder_ = dnnl::reorder(dnnl::reorder::primitive_desc(from_, to_, attributes));
}

void Relayout::run() const {
  if (is_needed_) device_->run(reorder_, {{DNNL_ARG_FROM, from_}, {DNNL_ARG_TO, to_}});
}

Relayout in_layout(Device& device, const dnnl::memory& source, const onednn::Desc& wanted) {
  if (source.get_desc() == wanted) return {device, source, source};
  return {device, source, device.scratch(wanted)};
}

Relayout out_of_layout(Device& device, const onednn::Desc& produced,
                       const dnnl::memory& destination) {
  if (destination.get_desc() == produced) return {device, destination, destination};
  return {device, device.scratch(produced), destination};
}

}  // namespace tandem
