#include "real/mpi/shared/direct_collective.h"

#include <algorithm>
#include <boost/container/small_vector.hpp>
#include <cstring>

namespace tandem::mpi {
namespace {

/// Of each buffer, so that what was read is still in the first cache when it is written.
constexpr std::size_t kBlockBytes = 4 << 10;
/// Memory is asked for so far before it is needed, since processors look ahead in a page only.
constexpr std::size_t kAheadBytes = 16 << 10;
constexpr std::size_t kLineBytes = 64;
/// What a step works on at most: messages have to go on as well.
constexpr std::size_t kStepBytes = 1 << 20;

}  // namespace

std::size_t DirectCollective::stack_bytes(const DirectPlan& plan) {
  int depth = 1;
  for (const Sum& sum : plan.sums) depth = std::max(depth, sum.depth);
  return depth * kBlockBytes;
}

DirectCollective::DirectCollective(const Node& node, std::shared_ptr<const DirectPlan> plan,
                                   const View& view, const View& stack)
    : SharedCollective(node, std::move(plan), view),
      stack_(stack),
      refused_(node.offset_of(view) == Notice::kNotShared),
      left_(share()) {}

void DirectCollective::publish(int peer, std::uint64_t number) {
  node().notice_to(peer).place(number).put(MemorySpace::kHost, node().offset_of(view()));
}

void DirectCollective::reach_own() {
  views_.push_back(view().unowned());
}

void DirectCollective::reach(int at, std::uint64_t number) {
  const int peer = plan().ranks[at];
  const Notice::Place& place = node().notice_from(peer).place(number);
  const std::size_t offset = place.offset_in(MemorySpace::kHost, peer);
  refused_ = refused_ || offset == Notice::kNotShared;
  views_.push_back({nullptr, view().elements, view().dtype});
  if (!refused_) views_.back().data = node().data_of(peer, offset);
}

DirectCollective::Progress DirectCollective::work() {
  if (refused_) return Progress::kDone;
  for (std::size_t worked = 0; left_.elements > 0 && worked < kStepBytes;) {
    const Chunk& piece = plan().sums[sum_].piece;
    if (left_.offset >= piece.offset + piece.elements) {
      ++sum_;
      continue;
    }
    const std::size_t elements = std::min({kBlockBytes / size_of(view().dtype), left_.elements,
                                           piece.offset + piece.elements - left_.offset});
    form_block(plan().sums[sum_], left_.offset, elements);
    left_ = {left_.offset + elements, left_.elements - elements};
    worked += elements * size_of(view().dtype) * views_.size();
  }
  return left_.elements == 0 ? Progress::kDone : Progress::kMoved;
}

void DirectCollective::form_block(const Sum& sum, std::size_t offset, std::size_t elements) {
  boost::container::small_vector<View, 16> beginnings;
  for (const View& view : views_) beginnings.push_back(view.slice(offset, elements));
  ask_ahead(offset, elements);
  boost::container::small_vector<View, 8> stack;
  for (int i = 0; i < sum.depth; ++i)
    stack.push_back({stack_.data + i * kBlockBytes, elements, view().dtype});
  form(sum, {beginnings.data(), beginnings.size()}, {stack.data(), stack.size()});
  for (const View& view : beginnings) std::memcpy(view.data, stack[0].data, view.bytes());
}

/// Of what comes after a block in this rank's share.
void DirectCollective::ask_ahead(std::size_t offset, std::size_t elements) const {
  const std::size_t element_bytes = size_of(view().dtype);
  const std::size_t end = (left_.offset + left_.elements) * element_bytes;
  const std::size_t first = std::min(offset * element_bytes + kAheadBytes, end);
  const std::size_t last = std::min(first + elements * element_bytes, end);
  for (const View& view : views_) {
    for (std::size_t at = first; at < last; at += kLineBytes)
      __builtin_prefetch(view.data + at, 0, 2);
  }
}

}  // namespace tandem::mpi
