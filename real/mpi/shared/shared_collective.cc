#include "real/mpi/shared/shared_collective.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/error.h"

namespace tandem::mpi {
namespace {

constexpr std::size_t kShareUnit = 64;  ///< bytes: a cache line

}  // namespace

Chunk SharedCollective::share() const {
  const std::size_t line = kShareUnit / size_of(view_.dtype);
  const Chunk lines = chunk((view_.elements + line - 1) / line, ranks(), plan_->rank);
  const std::size_t begin = std::min(lines.offset * line, view_.elements);
  return {begin, std::min((lines.offset + lines.elements) * line, view_.elements) - begin};
}

void SharedCollective::begin(std::vector<std::uint64_t>& begun) {
  begun_ = &begun;
  if (is_ready()) publish_all();
}

void SharedCollective::publish_all() {
  for (int at = 0; at < ranks(); ++at) {
    if (is_own(at)) continue;
    const int peer = plan_->ranks[at];
    const std::uint64_t number = ++(*begun_)[peer];
    publish(peer, number);
    Notice& notice = node_.notice_to(peer);
    notice.place(number).bytes.store(view_.bytes(), std::memory_order_relaxed);
    notice.begun.store(number, std::memory_order_release);
  }
  state_ = State::kBeginning;
}

int SharedCollective::awaited() const {
  if (state_ == State::kGettingReady) return getting_ready_for();
  const bool waits = state_ == State::kBeginning || state_ == State::kEnding;
  return waits && at_ < ranks() ? plan_->ranks[at_] : kAnyPeer;
}

std::optional<int> SharedCollective::missed(const std::function<bool(int)>& lost) const {
  const int peer = awaited();
  return peer != kAnyPeer && lost(peer) ? std::optional(peer) : std::nullopt;
}

bool SharedCollective::step() {
  const State before = state_;
  if (state_ == State::kGettingReady && is_ready()) publish_all();
  if (state_ == State::kBeginning && all_have_begun()) state_ = State::kWorking;
  if (state_ == State::kWorking) {
    const Progress progress = work();
    if (progress == Progress::kDone) say_done();
    return progress != Progress::kWaits || state_ != before;
  }
  if (state_ == State::kEnding && all_are_done()) state_ = State::kDone;
  return state_ != before;
}

bool SharedCollective::all_have_begun() {
  for (; at_ < ranks(); ++at_) {
    if (is_own(at_)) {
      reach_own();
      continue;
    }
    const int peer = plan_->ranks[at_];
    const std::uint64_t number = (*begun_)[peer];
    const Notice& notice = node_.notice_from(peer);
    if (notice.begun.load(std::memory_order_acquire) < number) return false;
    const std::size_t bytes = notice.place(number).bytes.load(std::memory_order_relaxed);
    if (bytes != view_.bytes())
      throw RunError(fmt::format("a collective of {} bytes met one of {} bytes of rank {}",
                                 view_.bytes(), bytes, peer));
    reach(at_, number);
  }
  return true;
}

void SharedCollective::say_done() {
  for (int at = 0; at < ranks(); ++at) {
    const int peer = plan_->ranks[at];
    if (!is_own(at)) node_.notice_to(peer).done.store((*begun_)[peer], std::memory_order_release);
  }
  state_ = ends_alone() ? State::kDone : State::kEnding;
  at_ = 0;
}

bool SharedCollective::all_are_done() {
  for (; at_ < ranks(); ++at_) {
    if (is_own(at_)) continue;
    const int peer = plan_->ranks[at_];
    if (node_.notice_from(peer).done.load(std::memory_order_acquire) < (*begun_)[peer])
      return false;
  }
  return true;
}

}  // namespace tandem::mpi
