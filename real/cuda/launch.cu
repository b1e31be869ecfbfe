// What nvcc compiles, but for launch_updates.cu: launches what kernels/works.inc lists.

#include "real/cuda/kernels/works.h"
#include "real/cuda/launch.cuh"

namespace tandem::cuda {

template <typename Work>
void launch_items(Engine& engine, int items, const Work& work) {
  launch_each(engine, items, work);
}

template <typename Work>
void launch_groups(Engine& engine, int groups, const Work& work) {
  launch_each_group(engine, groups, work);
}

#define ITEMS(...) template void launch_items(Engine&, int, const __VA_ARGS__&);
#define GROUPS(...) template void launch_groups(Engine&, int, const __VA_ARGS__&);
#include "real/cuda/kernels/works.inc"

}  // namespace tandem::cuda
