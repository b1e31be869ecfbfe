#include "real/mpi/shared/small_collective.h"

#include <algorithm>
#include <boost/container/small_vector.hpp>
#include <cstring>

#include "core/comm/worker.h"

namespace tandem::mpi {

Slots::Slots(Node& node, bool crowded) {
  if (!node.is_shared() || !crowded) return;
  for (Buffer& memory : memory_) memory = node.allocate(kBytes, DType::kByte);
}

std::size_t SmallCollective::stack_bytes(const DirectPlan& plan) {
  int depth = 1;
  for (const Sum& sum : plan.sums) depth = std::max(depth, sum.depth);
  return std::max<std::size_t>((depth - 1) * Slots::kBytes, 1);
}

SmallCollective::SmallCollective(const Node& node, std::shared_ptr<const DirectPlan> plan,
                                 const View& view, Slots& slots, const View& stack)
    : SharedCollective(node, std::move(plan), view),
      slots_(slots),
      slot_(slots.next_),
      stack_(stack) {
  slots_.next_ = 1 - slot_;
}

int SmallCollective::reader() const {
  const auto reads = [this](const Slots::Reader& reader) {
    return node().notice_from(reader.peer).done.load(std::memory_order_acquire) < reader.begun;
  };
  const auto found = std::ranges::find_if(slots_.readers_[slot_], reads);
  return found == slots_.readers_[slot_].end() ? kAnyPeer : found->peer;
}

bool SmallCollective::is_ready() {
  if (reader() != kAnyPeer) return false;
  std::memcpy(slot().data, view().data, view().bytes());
  slots_.readers_[slot_].clear();
  return true;
}

void SmallCollective::publish(int peer, std::uint64_t number) {
  node().notice_to(peer).place(number).put(MemorySpace::kHost, node().offset_of(slot()));
  slots_.readers_[slot_].push_back({peer, number});
}

void SmallCollective::reach(int at, std::uint64_t number) {
  const int peer = plan().ranks[at];
  const Notice::Place& place = node().notice_from(peer).place(number);
  beginnings_.push_back(slot());
  beginnings_.back().data = node().data_of(peer, place.offset_in(MemorySpace::kHost, peer));
}

SmallCollective::Progress SmallCollective::work() {
  for (const Sum& sum : plan().sums) {
    const Chunk& piece = sum.piece;
    boost::container::small_vector<View, 16> beginnings;
    for (const View& all : beginnings_)
      beginnings.push_back(all.slice(piece.offset, piece.elements));
    boost::container::small_vector<View, 8> stack = {view().slice(piece.offset, piece.elements)};
    for (int i = 1; i < sum.depth; ++i)
      stack.push_back({stack_.data + (i - 1) * Slots::kBytes, piece.elements, view().dtype});
    form(sum, {beginnings.data(), beginnings.size()}, {stack.data(), stack.size()});
  }
  return Progress::kDone;
}

}  // namespace tandem::mpi
