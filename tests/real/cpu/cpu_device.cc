#include "real/cpu/network.h"
#include "tests/real/cpu/device_network.h"

namespace tandem {

NetworkFactory device_network(int threads, const PrecisionSpec& precision) {
  return cpu_network(threads, factors_of_products(precision));
}

// Some units of the last digit of weights that are below 1.
double device_rounding() {
  return 2e-6;
}

std::function<MakeMirror()> device_mirrors() {
  return {};
}

}  // namespace tandem
