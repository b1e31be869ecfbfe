#include "real/cpu/device.h"

namespace tandem {

Lease WorkingMemory::lease(std::size_t bytes) {
  auto fit = free_->by_size.lower_bound(bytes);
  if (fit == free_->by_size.end()) {
    chunks_.push_back(make_host_buffer(bytes, DType::kByte));
    fit = free_->by_size.emplace(bytes, chunks_.back().view().data);
  }
  const auto [size, data] = *fit;
  free_->by_size.erase(fit);
  return {data, [free = free_, size](std::byte* ended) { free->by_size.emplace(size, ended); }};
}

dnnl::memory Device::scratch(const onednn::Desc& desc) {
  scratch_.push_back(working_memory_.lease(desc.get_size()));
  return refer(desc, scratch_.back().get());
}

}  // namespace tandem
