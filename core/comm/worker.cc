#include "core/comm/worker.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/record/recorder.h"

namespace tandem {

Buffer Worker::allocate(std::size_t elements, DType dtype) {
  Buffer buffer = do_allocate(elements, dtype);
  buffer.view().owner->count_in(memory_, true);
  return buffer;
}

Buffer Worker::reserve(std::size_t elements, DType dtype) {
  Buffer buffer = do_allocate(elements, dtype);
  buffer.view().owner->count_in(memory_, false);
  return buffer;
}

void Worker::release(const View& view) {
  give_back_pages(view);
  view.owner->release(view.bytes());
}

std::string peer_name(int peer) {
  return peer == kAnyPeer ? "any rank" : fmt::format("rank {}", peer);
}

std::string waits_for(std::span<const Handle> handles) {
  constexpr std::size_t kNamed = 8;
  std::vector<std::string> names;
  for (const Handle& handle : handles) {
    if (handle.empty()) continue;
    const std::string name = handle.get()->waits_for();
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  }
  if (names.empty()) return "nothing";
  const std::size_t more = names.size() - std::min(names.size(), kNamed);
  names.resize(names.size() - more);
  return fmt::format("{}{}", fmt::join(names, ", "),
                     more > 0 ? fmt::format(" and {} more", more) : "");
}

Handle Worker::compute(const Kernel& kernel) {
  const Seconds begin = now();
  Handle handle = do_compute(kernel);
  record().computed(kernel.phase, kernel.name, begin, now());
  return handle;
}

std::optional<Completion> Worker::wait_any(std::span<Handle> handles, Seconds timeout) {
  const Seconds begin = now();
  const std::optional<Completion> completion = do_wait_any(handles, std::min(timeout, patience_));
  record().waited(begin, now());
  if (!completion && timeout > patience_) {
    throw Timeout(group().rank, waits_for(handles), patience_);
  }
  if (completion && completion->moved.what == Moved::What::kSent)
    record().sent(completion->moved.bytes);
  if (completion && completion->moved.what == Moved::What::kReceived)
    record().received(completion->moved.bytes);
  return completion;
}

Completion Worker::wait(Handle& handle) {
  if (handle.empty()) return {};
  return *wait_any(std::span(&handle, 1), kForever);
}

void wait_all(Worker& worker, std::span<Handle> handles) {
  for (Handle& handle : handles) worker.wait(handle);
}

}  // namespace tandem
