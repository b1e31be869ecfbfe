#include "real/mpi/shared/direct_collective.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "core/base/error.h"

namespace tandem::mpi {
namespace {

/// Of each buffer, so that what was read is still in the first cache when it is written.
constexpr std::size_t kBlockBytes = 4 << 10;
/// Memory is asked for so far before it is needed, since processors look ahead in a page only.
constexpr std::size_t kAheadBytes = 16 << 10;
constexpr std::size_t kLineBytes = 64;
/// What a step works on at most: messages have to go on as well.
constexpr std::size_t kStepBytes = 1 << 20;

/// The share of one of `ranks`, in whole cache lines.
Chunk share_of(const View& view, int ranks, int rank) {
  const std::size_t line = kLineBytes / size_of(view.dtype);
  const Chunk lines = chunk((view.elements + line - 1) / line, ranks, rank);
  const std::size_t begin = std::min(lines.offset * line, view.elements);
  return {begin, std::min((lines.offset + lines.elements) * line, view.elements) - begin};
}

}  // namespace

std::size_t DirectCollective::stack_bytes(const DirectPlan& plan) {
  int depth = 1;
  for (const Sum& sum : plan.sums) depth = std::max(depth, sum.depth);
  return depth * kBlockBytes;
}

DirectCollective::DirectCollective(const Node& node, const DirectPlan& plan, const View& view,
                                   const View& stack, std::vector<std::uint64_t>& begun)
    : node_(node), plan_(plan), view_(view), stack_(stack), begun_(begun) {
  const std::size_t offset = node_.offset_of(view_);
  refused_ = offset == Notice::kNotShared;
  for (const int peer : plan_.ranks) {
    if (peer == plan_.ranks[plan_.rank]) continue;
    Notice& notice = node_.notice_to(peer);
    notice.offset.store(offset, std::memory_order_relaxed);
    notice.bytes.store(view_.bytes(), std::memory_order_relaxed);
    notice.begun.store(++begun_[peer], std::memory_order_release);
  }
}

int DirectCollective::awaited() const {
  const bool waits = state_ == State::kBeginning || state_ == State::kEnding;
  return waits && at_ < static_cast<int>(plan_.ranks.size()) ? plan_.ranks[at_] : -1;
}

bool DirectCollective::step() {
  const State before = state_;
  if (state_ == State::kBeginning && all_have_begun()) state_ = State::kWorking;
  if (state_ == State::kWorking) {
    work();
    return true;
  }
  if (state_ == State::kEnding && all_are_done()) state_ = State::kDone;
  return state_ != before;
}

bool DirectCollective::all_have_begun() {
  for (; at_ < static_cast<int>(plan_.ranks.size()); ++at_) {
    const int peer = plan_.ranks[at_];
    if (at_ == plan_.rank) {
      views_.push_back(view_);
      views_.back().owner = nullptr;  // counting owners takes longer than it seems, block by block
      continue;
    }
    const Notice& notice = node_.notice_from(peer);
    if (notice.begun.load(std::memory_order_acquire) < begun_[peer]) return false;
    const std::size_t offset = notice.offset.load(std::memory_order_relaxed);
    const std::size_t bytes = notice.bytes.load(std::memory_order_relaxed);
    if (bytes != view_.bytes())
      throw RunError(fmt::format("a collective of {} bytes met one of {} bytes of rank {}",
                                 view_.bytes(), bytes, peer));
    refused_ = refused_ || offset == Notice::kNotShared;
    views_.push_back({nullptr, view_.elements, view_.dtype});
    if (!refused_) views_.back().data = node_.data_of(peer, offset);
  }
  if (!refused_) share_ = share_of(view_, static_cast<int>(plan_.ranks.size()), plan_.rank);
  return true;
}

void DirectCollective::work() {
  for (std::size_t worked = 0; share_.elements > 0 && worked < kStepBytes;) {
    const Chunk& piece = plan_.sums[sum_].piece;
    if (share_.offset >= piece.offset + piece.elements) {
      ++sum_;
      continue;
    }
    const std::size_t elements = std::min({kBlockBytes / size_of(view_.dtype), share_.elements,
                                           piece.offset + piece.elements - share_.offset});
    form_block(plan_.sums[sum_], share_.offset, elements);
    share_ = {share_.offset + elements, share_.elements - elements};
    worked += elements * size_of(view_.dtype) * views_.size();
  }
  if (share_.elements > 0) return;
  for (const int peer : plan_.ranks) {
    if (peer != plan_.ranks[plan_.rank])
      node_.notice_to(peer).done.store(begun_[peer], std::memory_order_release);
  }
  state_ = State::kEnding;
  at_ = 0;
}

void DirectCollective::form_block(const Sum& sum, std::size_t offset, std::size_t elements) {
  boost::container::small_vector<View, 16> beginnings;
  for (const View& view : views_) beginnings.push_back(view.slice(offset, elements));
  ask_ahead(offset, elements);
  boost::container::small_vector<View, 8> stack;
  for (int i = 0; i < sum.depth; ++i)
    stack.push_back({stack_.data + i * kBlockBytes, elements, view_.dtype});
  form(sum, {beginnings.data(), beginnings.size()}, {stack.data(), stack.size()});
  for (const View& view : beginnings) std::memcpy(view.data, stack[0].data, view.bytes());
}

/// Of what comes after a block in this rank's share.
void DirectCollective::ask_ahead(std::size_t offset, std::size_t elements) const {
  const std::size_t element_bytes = size_of(view_.dtype);
  const std::size_t end = (share_.offset + share_.elements) * element_bytes;
  const std::size_t first = std::min(offset * element_bytes + kAheadBytes, end);
  const std::size_t last = std::min(first + elements * element_bytes, end);
  for (const View& view : views_) {
    for (std::size_t at = first; at < last; at += kLineBytes)
      __builtin_prefetch(view.data + at, 0, 2);
  }
}

bool DirectCollective::all_are_done() {
  for (; at_ < static_cast<int>(plan_.ranks.size()); ++at_) {
    const int peer = plan_.ranks[at_];
    if (at_ == plan_.rank) continue;
    if (node_.notice_from(peer).done.load(std::memory_order_acquire) < begun_[peer]) return false;
  }
  return true;
}

}  // namespace tandem::mpi
