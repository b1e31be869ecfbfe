#include "real/mpi/computing_device.h"

#include <fmt/format.h>

#include "core/base/error.h"
#include "real/mpi/machine.h"
#ifdef TANDEM_CPU
#include "real/cpu/network.h"
#include "real/mpi/binding.h"
#include "real/mpi/gather.h"
#include "real/mpi/onednn_version.h"
#endif
#ifdef TANDEM_CUDA
#include <mpi.h>

#include <algorithm>

#include "core/strategies/strategy.h"
#include "real/cuda/collectives/cuda_aware.h"
#include "real/cuda/collectives/ipc.h"
#include "real/cuda/collectives/nccl.h"
#include "real/cuda/network.h"
#include "real/mpi/check.h"
#endif

namespace tandem::mpi {
namespace {

#ifdef TANDEM_CPU
ComputingDevice cpu(const Scenario& scenario) {
  const DType factors = factors_of_products(scenario.precision);
  const int preparing = scenario.data.prefetch.value_or(0) > 0 ? 1 : 0;
  const std::string bound = bind_to_part_of_machine(MPI_COMM_WORLD, scenario.threads + preparing);
  return {.make_network = cpu_network(scenario.threads, factors),
          .mirrors = {},
          .name = cpu_model(),
          .about = {{"onednn", onednn_version()},
                    {"factors_of_products", factors == DType::kBFloat16 ? "bf16" : "fp32"},
                    {"bound_to", gather(bound, MPI_COMM_WORLD)}}};
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

MakeDeviceCollectives collectives(const Scenario& scenario, int gpu) {
  if (scenario.transport == "host") return {};
  int rank = 0;
  check(MPI_Comm_rank(MPI_COMM_WORLD, &rank), "MPI_Comm_rank");
  const int device = is_server(scenario, rank) ? -1 : gpu;
  if (scenario.transport == "ipc") {
    return [device](MPI_Comm comm, const Node& node) {
      return std::make_unique<cuda::IpcCollectives>(comm, node, device);
    };
  }
  if (scenario.transport == "mpi") {
    if (!cuda::is_mpi_cuda_aware())
      throw InputError(
          "transport mpi: this MPI does not take GPUs' memory (MPIX_Query_cuda_support), as "
          "Debian's does not; use transport host, ipc or nccl");
    return [device](MPI_Comm comm, const Node&) {
      return std::make_unique<cuda::CudaAwareCollectives>(comm, device);
    };
  }
  if (const std::string reason = cuda::why_no_nccl(); !reason.empty())
    throw InputError(fmt::format("transport nccl: {}", reason));
  if (scenario.members() > scenario.workers)
    throw InputError("transport nccl: servers have no GPU; use transport host, mpi or ipc");
  return [device](MPI_Comm comm, const Node&) {
    return std::make_unique<cuda::NcclCollectives>(comm, device);
  };
}

ComputingDevice gpu(const Scenario& scenario, bool timed) {
  const int rank = rank_on_host(), devices = std::max(1, cuda::device_count());
  const CudaOptions options{
      .device = rank % devices, .arithmetic = arithmetic(scenario.precision), .runs_ahead = !timed};
  NetworkFactory make_network = cuda_network(options);  // says it where there is no GPU
  nlohmann::json about = {{"cuda", cuda::library_versions()}};
  if (scenario.transport == "nccl") about["nccl"] = cuda::nccl_version();
  return {.make_network = std::move(make_network),
          .mirrors = [options] { return cuda_mirrors(options); },
          .collectives = collectives(scenario, options.device),
          .is_first_user = rank < devices,
          .name = cuda::device_name(options.device),
          .about = std::move(about)};
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
