// Launches what kernels/updates.inc lists. Compiled without fused multiplications and additions, so
// that the bits are the host's.

#include "real/cuda/kernels/form_sum.h"
#include "real/cuda/kernels/updates.h"
#include "real/cuda/launch.cuh"

namespace tandem::cuda {

template <typename Work>
void launch_update(Engine& engine, int items, const Work& work) {
  launch_each(engine, items, work);
}

template <typename Work>
void launch_update_groups(Engine& engine, int groups, const Work& work) {
  launch_each_group(engine, groups, work);
}

#define UPDATES(...) template void launch_update(Engine&, int, const __VA_ARGS__&);
#define UPDATE_GROUPS(...) \
  template void launch_update_groups(Engine&, int, const __VA_ARGS__&);
#include "real/cuda/kernels/updates.inc"

}  // namespace tandem::cuda
