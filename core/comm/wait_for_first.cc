#include "core/comm/wait_for_first.h"

#include <vector>

#include "core/comm/patience.h"

namespace tandem {
namespace {

// Above all that strategies use.
constexpr Tag kGoOn = 32'000;

}  // namespace

void wait_for_first(Worker& worker, int members) {
  const Buffer token = worker.allocate(1, DType::kByte);
  std::vector<Handle> handles;
  if (worker.group().rank > 0) handles.push_back(worker.receive(0, kGoOn, token.view()));
  for (int peer = 1; worker.group().rank == 0 && peer < members; ++peer)
    handles.push_back(worker.send(peer, kGoOn, token.view()));
  const EndlessPatience patience(worker);
  wait_all(worker, handles);
}

}  // namespace tandem
