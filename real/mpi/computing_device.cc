#include "real/mpi/computing_device.h"

#include "core/base/error.h"
#include "real/mpi/machine.h"
#ifdef TANDEM_CPU
#include "real/cpu/network.h"
#include "real/mpi/onednn_version.h"
#endif
#ifdef TANDEM_CUDA
#include <mpi.h>

#include <algorithm>

#include "real/cuda/network.h"
#include "real/mpi/check.h"
#endif

namespace tandem::mpi {
namespace {

#ifdef TANDEM_CPU
ComputingDevice cpu(const Scenario& scenario) {
  return {.make_network = cpu_network(scenario.threads),
          .mirrors = {},
          .name = cpu_model(),
          .about = {{"onednn", onednn_version()}}};
}
#else
ComputingDevice cpu(const Scenario&) {
  throw InputError(
      "this build was configured without the CPU device, so that runs can only be paced; give "
      "--device paced:NAME, or build with -DTANDEM_CPU=ON");
}
#endif

#ifdef TANDEM_CUDA
/// This rank's number among those of its host.
int rank_on_host() {
  MPI_Comm host = MPI_COMM_NULL;
  check(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host),
        "MPI_Comm_split_type");
  int rank = 0;
  check(MPI_Comm_rank(host, &rank), "MPI_Comm_rank");
  check(MPI_Comm_free(&host), "MPI_Comm_free");
  return rank;
}

cuda::Arithmetic arithmetic(const PrecisionSpec& precision) {
  if (precision.name == "tf32") return cuda::Arithmetic::kTf32;
  if (precision.name == "fp16") return cuda::Arithmetic::kFloat16;
  if (precision.name == "bf16") return cuda::Arithmetic::kBFloat16;
  return cuda::Arithmetic::kFloat32;
}

ComputingDevice gpu(const Scenario& scenario, bool timed) {
  const int rank = rank_on_host(), devices = std::max(1, cuda::device_count());
  const CudaOptions options{
      .device = rank % devices, .arithmetic = arithmetic(scenario.precision), .runs_ahead = !timed};
  NetworkFactory make_network = cuda_network(options);  // says it where there is no GPU
  return {.make_network = std::move(make_network),
          .mirrors = [options] { return cuda_mirrors(options); },
          .is_first_user = rank < devices,
          .name = cuda::device_name(options.device),
          .about = {{"cuda", cuda::library_versions()}}};
}
#else
ComputingDevice gpu(const Scenario&, bool) {
  throw InputError(
      "device cuda: this build was configured without the CUDA device; build with "
      "-DTANDEM_CUDA=ON where nvcc, cuDNN and cuBLASLt are installed");
}
#endif

}  // namespace

ComputingDevice computing_device(const Scenario& scenario, bool timed) {
  if (scenario.device == "cuda") return gpu(scenario, timed);
  return cpu(scenario);
}

}  // namespace tandem::mpi
