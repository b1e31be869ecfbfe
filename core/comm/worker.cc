#include "core/comm/worker.h"

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

Handle Worker::compute(const Kernel& kernel) {
  const Seconds begin = now();
  Handle handle = do_compute(kernel);
  record().computed(kernel.phase, kernel.name, begin, now());
  return handle;
}

std::optional<Completion> Worker::wait_any(std::span<Handle> handles, Seconds timeout) {
  const Seconds begin = now();
  const std::optional<Completion> completion = do_wait_any(handles, timeout);
  record().waited(begin, now());
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
