#include "real/cuda/network.h"
#include "tests/real/cpu/device_network.h"

namespace tandem {

NetworkFactory device_network(int) {
  return cuda_network({});
}

std::function<MakeMirror()> device_mirrors() {
  return [] { return cuda_mirrors({}); };
}

}  // namespace tandem
