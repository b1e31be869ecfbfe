#include "tests/bench/all_reduce/contender.h"

#ifdef TANDEM_GLOO
#include <gloo/allreduce.h>
#include <gloo/allreduce_halving_doubling.h>
#include <gloo/math.h>
#include <gloo/rendezvous/context.h>
#include <gloo/rendezvous/file_store.h>
#include <gloo/rendezvous/prefix_store.h>
#include <gloo/transport/tcp/device.h>

#include <map>

#include "real/mpi/check.h"
#endif

namespace tandem::bench {

#ifdef TANDEM_GLOO
namespace {

using Context = std::shared_ptr<gloo::rendezvous::Context>;
using Sum = void (*)(void*, const void*, const void*, std::size_t);

Contender gloo_all_reduce(const std::string& name, const Context& context,
                          gloo::AllreduceOptions::Algorithm algorithm) {
  return {name, [=](const View& view) {
            gloo::AllreduceOptions options(context);
            options.setAlgorithm(algorithm);
            options.setOutput(view.floats().data(), view.elements);
            options.setReduceFunction(static_cast<Sum>(&gloo::sum<float>));
            gloo::allreduce(options);
          }};
}

/// Gloo binds this one to a buffer: made once for each.
Contender gloo_halving_doubling(const Context& context) {
  using HalvingDoubling = gloo::AllreduceHalvingDoubling<float>;
  using Bound = std::map<std::pair<void*, std::size_t>, std::unique_ptr<HalvingDoubling>>;
  return {"Gloo halving-doubling", [context, bound = std::make_shared<Bound>()](const View& view) {
            auto& made = (*bound)[{view.data, view.elements}];
            if (!made)
              made = std::make_unique<HalvingDoubling>(context,
                                                       std::vector<float*>{view.floats().data()},
                                                       static_cast<int>(view.elements));
            made->run();
          }};
}

}  // namespace

std::vector<Contender> gloo_contenders(const std::string& host, const std::string& folder) {
  int rank = 0, ranks = 0;
  mpi::check(MPI_Comm_rank(MPI_COMM_WORLD, &rank), "MPI_Comm_rank");
  mpi::check(MPI_Comm_size(MPI_COMM_WORLD, &ranks), "MPI_Comm_size");
  gloo::transport::tcp::attr address;
  address.hostname = host;
  auto device = gloo::transport::tcp::CreateDevice(address);
  auto context = std::make_shared<gloo::rendezvous::Context>(rank, ranks);
  gloo::rendezvous::FileStore store(folder);
  context->connectFullMesh(store, device);
  using Algorithm = gloo::AllreduceOptions::Algorithm;
  return {gloo_all_reduce("Gloo ring", context, Algorithm::RING),
          gloo_all_reduce("Gloo bcube", context, Algorithm::BCUBE), gloo_halving_doubling(context)};
}
#else
std::vector<Contender> gloo_contenders(const std::string&, const std::string&) {
  return {};
}
#endif

}  // namespace tandem::bench
