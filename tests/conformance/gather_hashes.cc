#include "tests/conformance/gather_hashes.h"

#include <cstring>

namespace tandem {

std::vector<std::string> gather_hashes(Worker& worker, const std::string& hash) {
  constexpr Tag kTag = 1;
  const Group& group = worker.group();
  const Buffer text = worker.allocate(hash.size(), DType::kByte);
  if (group.rank > 0) {
    std::memcpy(text.view().data, hash.data(), hash.size());
    Handle sent = worker.send(0, kTag, text.view());
    worker.wait(sent);
    return {};
  }
  std::vector<std::string> hashes = {hash};
  for (int peer = 1; peer < group.size; ++peer) {
    Handle received = worker.receive(peer, kTag, text.view());
    worker.wait(received);
    hashes.emplace_back(reinterpret_cast<const char*>(text.view().data), hash.size());
  }
  return hashes;
}

}  // namespace tandem
