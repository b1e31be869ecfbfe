#pragma once

#include <string>

#include "core/training/network.h"
#include "real/cuda/engine.h"

namespace tandem {

/// How networks compute on a GPU.
struct CudaOptions {
  int device = 0;  ///< which of the GPUs that this process can use
  cuda::Arithmetic arithmetic = cuda::Arithmetic::kFloat32;
  /// Whether work may be queued ahead of the calls that ask for it. If not, each call returns when
  /// its work is done, so that it can be timed.
  bool runs_ahead = true;
};

/// The CUDA device: makes networks whose convolutions are computed by cuDNN, whose products by
/// cuBLASLt, and whose other layers by kernels of our own. Their `parameters` and `gradients` are
/// views of graph.parameter_elements() each, float32 as on the CPU or 16 bits, and must outlive
/// them; `graph` need not.
///
/// Where those views have copies on the GPU (cuda_mirrors()), parameters go there only where the
/// host has newer ones, and gradients stay until somebody asks for them; from its second training
/// pass on a network launches recordings of parts of a pass rather than queue it piece by piece.
/// Where they have none, forward() copies the layer's parameters to the GPU, and backward() its
/// gradients back.
///
/// The first backward() of a pass queues the whole of it; each call then waits for its own layer's
/// gradients only, so that a collective that is started with them goes beside what the GPU goes on
/// with. Where statistics are summed over workers, each layer is queued when it is asked for.
///
/// All algorithms give the same bits every time; they are not the CPU's, as sums go in another
/// order. Batch norms and dropout are as on the CPU (real/cpu/network.h), and draw the same
/// numbers.
///
/// Throws InputError where there is no such GPU. The factory throws InputError where the graph
/// can't be trained, as on the CPU, or needs tensors of 2^31 elements; it, and the networks,
/// RunError, naming the layer and the call, where CUDA fails.
NetworkFactory cuda_network(const CudaOptions& options);

/// Makes copies on the GPU of what a member allocates, all on one engine, in whose queues networks
/// over such memory compute. Throws as cuda_network().
MakeMirror cuda_mirrors(const CudaOptions& options);

}  // namespace tandem
