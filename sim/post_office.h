#pragma once

#include <boost/container/small_vector.hpp>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/comm/channel.h"
#include "core/comm/turns.h"
#include "core/comm/worker.h"
#include "core/record/recorder.h"
#include "sim/fabric.h"
#include "sim/operation.h"
#include "sim/passage.h"
#include "sim/places.h"
#include "sim/token_buckets.h"
#include "sim/train_network.h"
#include "sim/way.h"

namespace tandem {

/// Matches sends with receives for all ranks of a job, and carries each pair over the simulated
/// network: a transfer starts when both sides are posted (a rendezvous) and completes on both at
/// once. One between two hosts of no more bytes than the calibration's `eager_bytes` is sent
/// unasked: it starts when it is sent, which completes the send, and may wait for its receive. By
/// trains (TrainNetwork), the others meet their receive when word of them has come, and start when
/// that has been answered. An any-receive costs no simulated time of its own: it takes the send
/// that was posted first or, of those unasked or announced, arrived first.
class PostOffice {
 public:
  /// `recorders` by place; all must outlive it. Members are called by their places, and a message
  /// to or from one that stands for others is that of all of them. `by_trains`: messages go
  /// by TrainNetwork rather than as SimGrid's flows. `seed` is of how they differ then.
  PostOffice(Fabric& fabric, std::vector<Recorder*> recorders, const Places& places, bool by_trains,
             std::uint64_t seed);
  PostOffice(const PostOffice&) = delete;
  PostOffice& operator=(const PostOffice&) = delete;

  /// Of a collective, a message that has a `round` is recorded.
  Handle send(int source, int destination, Channel channel, Tag tag, View view, Waiter& waiter,
              const CollectiveRound& round = {});
  /// As Worker::send_in_turn().
  Handle send_in_turn(int source, int destination, Tag tag, View view, Waiter& waiter);
  /// `source` may be kAnyPeer.
  Handle receive(int destination, int source, Channel channel, Tag tag, View view, Waiter& waiter,
                 const CollectiveRound& round = {});

  /// `rank` has ended: what waits for a message to or from it is woken to find out.
  void leave(int rank);
  /// Whether `operation` can't complete any more. `self` is the rank that waits for it.
  bool unreachable(int self, const SimOperation& operation) const;

  /// What is left over where all have ended: the first message or receive that nothing met; empty
  /// where there is none.
  std::string left_over() const;

  /// Whoever may be asleep in an operation of this office, for leave() to look through.
  void add_waiter(int rank, Waiter& waiter) { waiters_.push_back({rank, &waiter}); }

  TokenBuckets& shapers() { return shapers_; }

  /// Declares the network taken until `until` by traffic that no transfer shows: to start one
  /// before throws ShortCutFailed of fusing with `reason`.
  void reserve(Seconds until, std::string reason);
  /// Of the way between two members.
  Seconds latency(int source, int destination) const {
    return fabric_.path(source, destination).latency;
  }
  bool goes_by_trains() const { return trains_.has_value(); }
  /// Without those that wait for their answer, by trains, beside which nothing is fused.
  int transfers_in_flight() const { return in_flight_; }
  /// When the last one that has arrived did.
  Seconds busy_until() const { return busy_until_; }
  /// Messages that were carried, each group of like ones counted once.
  std::uint64_t carried() const { return carried_; }

 private:
  struct Transfer;
  struct Post {
    int peer;  ///< kAnyPeer for an any-receive
    View view;
    std::shared_ptr<SimOperation> operation;
    bool in_turn = false;
    Posted posted = {};
    Seconds at = 0;  ///< when it was sent; of one that is announced, when the word has come
    Transfer* under_way = nullptr;  ///< of a send unasked
  };
  struct TurnPost {
    Tag tag;
    Post post;
  };
  /// What is posted at one destination under one tag and not yet matched, in order.
  struct Slot {
    boost::container::small_vector<Post, 1> sends;
    boost::container::small_vector<Post, 1> receives;
  };
  struct Transfer final : Passage {
    explicit Transfer(PostOffice& office) : office(office) {}
    void ended() override { office.arrive(*this); }

    PostOffice& office;
    int source, destination;
    bool of_collective;
    bool in_turn;
    bool unasked, arrived, failed;
    Tag tag;
    int iteration;  ///< its sender's
    View from, to;
    std::vector<std::byte> kept;  ///< unasked: what was in `from`, which its sender may use anew
    Seconds posted, begin, end;   ///< `begin`: when it departed
    MessageTime time;
    std::uint64_t id;
    Posted sent, received;  ///< when and for what it was
    bool from_any;
    std::shared_ptr<SimOperation> send, receive;  ///< null: not there yet, or no longer
    simgrid::s4u::CommPtr comm;
  };
  struct MemberWaiter {
    int rank;
    Waiter* waiter;
  };

  void require_member(int place) const;
  int messages_in(const Transfer& transfer) const;
  Slot& slot(int destination, Channel channel, Tag tag);
  void post(int destination, Channel channel, Tag tag, const Post& send);
  /// By trains: has it met when word of it has come.
  void announce(int destination, Channel channel, Tag tag, const Post& send);
  void match(int destination, Channel channel, Tag tag, const Post& send);
  void let_follow(const Way& way);
  void post_unasked(int destination, Channel channel, Tag tag, const Post& send);
  static boost::container::small_vector<Post, 1>::iterator find_receive(Slot& slot, int source);
  boost::container::small_vector<Post, 1>::iterator find_send(Slot& slot, int source);
  Transfer& prepare(int destination, Channel channel, Tag tag, const Post& send);
  Transfer& prepare_unasked(int destination, Channel channel, Tag tag, const Post& send);
  /// Whether it fits; else both end.
  bool meet(Transfer& transfer, const Post& receive);
  bool is_met(Transfer& transfer);
  void start(Transfer& transfer);
  void depart(Transfer& transfer);
  /// Has its receiver answer that it is there; it departs when the answer has come.
  void answer(Transfer& transfer);
  void depart_in_trains(Transfer& transfer);
  void let_next_follow(const Transfer& transfer);
  void arrive(Transfer& transfer);
  /// What both sides of a message have in common, and when and for what `side` was posted.
  static MessageMark mark_of(const Transfer& transfer, const Posted& side);
  static bool is_shown(const Transfer& transfer, const Posted& side);
  void land(Transfer& transfer);
  void deliver(Transfer& transfer);
  void fail(Transfer& transfer);
  void recycle(Transfer& transfer);
  Transfer& fresh_transfer();

  Fabric& fabric_;
  std::vector<Recorder*> recorders_;
  const Places& places_;
  std::unordered_map<std::uint64_t, Slot> slots_;
  Turns<Way, TurnPost> turns_;
  std::vector<Way> freed_;  ///< by what arrived, of those that are now being let follow
  std::vector<bool> left_;
  int left_count_ = 0;
  std::vector<MemberWaiter> waiters_;
  std::vector<std::unique_ptr<Transfer>> transfers_;  ///< all that were ever made
  std::vector<Transfer*> free_;
  Seconds reserved_until_ = 0;
  std::string reserved_reason_;
  int in_flight_ = 0;
  Seconds busy_until_ = 0;
  std::uint64_t carried_ = 0;
  TokenBuckets shapers_;
  std::optional<TrainNetwork> trains_;
  /// Without trains, of messages that are sent unasked the next of a connection follows when one
  /// has arrived, as bytes of a stream do.
  std::map<Way, std::deque<Transfer*>> connections_;
  std::vector<int> unmet_;  ///< by destination, those that no receive has met, landed or not
};

}  // namespace tandem
