#include "real/cpu/network.h"
#include "tests/real/cpu/device_network.h"

namespace tandem {

NetworkFactory device_network(int threads) {
  return cpu_network(threads);
}

std::function<MakeMirror()> device_mirrors() {
  return {};
}

}  // namespace tandem
