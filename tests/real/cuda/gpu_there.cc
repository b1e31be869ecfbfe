// gpu_there: goes before every test that needs a GPU (on_gpu.sh). Where CUDA can use none here it
// says so in a line and exits with 77, which skips the test, or with 1 where $TANDEM_REQUIRE_GPU is
// set.

#include <cstdio>
#include <cstdlib>

#include "real/cuda/engine.h"

int main() {
  std::string reason;
  if (tandem::cuda::device_count(&reason) > 0) return 0;
  const bool required = std::getenv("TANDEM_REQUIRE_GPU") != nullptr;
  std::printf("%s: there is no GPU that CUDA can use here (%s)\n", required ? "failed" : "skipped",
              reason.c_str());
  return required ? EXIT_FAILURE : 77;
}
