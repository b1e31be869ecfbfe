#include "real/cuda/network.h"
#include "tests/real/cpu/device_network.h"

namespace tandem {

NetworkFactory device_network(int, const PrecisionSpec&) {
  return cuda_network({});
}

// cuDNN takes another algorithm for another batch size, and Winograd's are exact to 1e-4 of a
// gradient or so (agreement_test.cc).
double device_rounding() {
  return 1e-4;
}

std::function<MakeMirror()> device_mirrors() {
  return [] { return cuda_mirrors({}); };
}

}  // namespace tandem
