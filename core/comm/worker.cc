#include "core/comm/worker.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/collectives/schedule.h"
#include "core/record/recorder.h"

namespace tandem {
namespace {

Step message_step(Step::Kind kind, int peer, Tag tag, const View& view, Seconds now) {
  const char* name = kind == Step::Kind::kSend ? "send" : "receive";
  return {
      .kind = kind, .name = name, .begin = now, .bytes = view.bytes(), .peer = peer, .tag = tag};
}

std::uint64_t bytes_of(const auto& pieces, std::size_t element_bytes) {
  std::uint64_t elements = 0;
  for (const auto& piece : pieces) elements += piece.elements;
  return elements * element_bytes;
}

Step collective_step(const Schedule& schedule, int members, const View& view, Seconds now) {
  Step step{.kind = Step::Kind::kCollective,
            .name = std::string(schedule.name()),
            .begin = now,
            .bytes = view.bytes()};
  for (int rank = 0; schedule.ranks() < members && rank < schedule.ranks(); ++rank)
    step.ranks.push_back(schedule.group_rank(rank));
  for (int k = 0; k < schedule.rounds(); ++k) {
    const Round round = schedule.round(k);
    step.sent_bytes += bytes_of(round.sends, size_of(view.dtype));
    step.received_bytes += bytes_of(round.receives, size_of(view.dtype));
  }
  return step;
}

std::vector<const Operation*> operations_of(std::span<const Handle> handles) {
  std::vector<const Operation*> operations;
  for (const Handle& handle : handles) operations.push_back(handle.get());
  return operations;
}

/// What `ask` gives a handle of, and, where the member's program is recorded, noted there as the
/// step that it was when it was asked for.
Handle noted(Recorder& recorder, const auto& step, void (Program::*note)(Step, const Operation*),
             const auto& ask) {
  Program* program = recorder.program();
  if (program == nullptr) return ask();
  Step asked = step();
  Handle handle = ask();
  (program->*note)(std::move(asked), handle.get());
  return handle;
}

/// What is sent or received is the host's. Time that a device takes to hand it over is time that
/// the member waits for communication.
View settled(Worker& worker, const View& view, Access access) {
  if (view.mirror == nullptr) return view;
  const Seconds begin = worker.now();
  View settled = view.on_host(access);
  worker.record().waited(begin, worker.now(), 0);
  return settled;
}

}  // namespace

Buffer Worker::allocate_mirrored(std::size_t elements, DType dtype) {
  Buffer buffer = do_allocate(elements, dtype);
  if (!make_mirror_ || !buffer.view().has_data()) return buffer;
  const std::shared_ptr<Memory> memory = buffer.view().owner;
  memory->set_mirror(make_mirror_(buffer.view()));
  return {memory, elements, dtype};
}

Buffer Worker::allocate(std::size_t elements, DType dtype) {
  Buffer buffer = allocate_mirrored(elements, dtype);
  buffer.view().owner->count_in(memory_, true);
  return buffer;
}

Buffer Worker::reserve(std::size_t elements, DType dtype) {
  Buffer buffer = allocate_mirrored(elements, dtype);
  buffer.view().owner->count_in(memory_, false);
  return buffer;
}

void Worker::claim(const View& view) {
  pages_.take_in(view);
  view.owner->claim(view.bytes());
}

void Worker::release(const View& view) {
  pages_.give_back(view);
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

Handle Worker::send(int peer, Tag tag, View view) {
  return noted(
      record(), [&] { return message_step(Step::Kind::kSend, peer, tag, view, now()); },
      &Program::asked, [&] { return do_send(peer, tag, settled(*this, view, Access::kRead)); });
}

Handle Worker::send_in_turn(int peer, Tag tag, View view) {
  return noted(
      record(), [&] { return message_step(Step::Kind::kSend, peer, tag, view, now()); },
      &Program::asked_in_turn,
      [&] { return do_send_in_turn(peer, tag, settled(*this, view, Access::kRead)); });
}

Handle Worker::receive(int peer, Tag tag, View view) {
  return noted(
      record(), [&] { return message_step(Step::Kind::kReceive, peer, tag, view, now()); },
      &Program::asked,
      [&] { return do_receive(peer, tag, settled(*this, view, Access::kOverwrite)); });
}

Handle Worker::start(std::unique_ptr<const Schedule> schedule, View view) {
  return noted(
      record(), [&] { return collective_step(*schedule, group().size, view, now()); },
      &Program::asked,
      [&] {
        if (view.mirror != nullptr && !is_done_on_devices(*schedule, view))
          view = settled(*this, view, Access::kWrite);
        return do_start(std::move(schedule), std::move(view));
      });
}

Handle Worker::compute(const Kernel& kernel) {
  const Seconds begin = now();
  Handle handle = do_compute(kernel);
  const Seconds end = now();
  record().computed(kernel.phase, kernel.name, begin, end);
  if (Program* program = record().program()) program->computed(kernel, begin, end);
  return handle;
}

std::optional<Completion> Worker::wait_any(std::span<Handle> handles, Seconds timeout) {
  const Seconds begin = now();
  Program* program = record().program();
  std::vector<const Operation*> operations;  // completed handles are emptied
  if (program != nullptr) operations = operations_of(handles);
  const std::optional<Completion> completion = do_wait_any(handles, std::min(timeout, patience_));
  record().waited(begin, now(), completion ? completion->moved.message : 0);
  if (program != nullptr && completion)
    program->waited_for(operations[completion->index], completion->peer, now());
  if (!completion && timeout > patience_) {
    give_up();
    throw Timeout(group().rank, waits_for(handles), patience_);
  }
  if (completion && completion->moved.what == Moved::What::kSent)
    record().sent(completion->moved.bytes, completion->moved.count);
  if (completion && completion->moved.what == Moved::What::kReceived)
    record().received(completion->moved.bytes, completion->moved.count);
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
