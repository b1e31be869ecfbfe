#pragma once

#include <deque>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "core/explain/event_graph.h"
#include "core/explain/lines.h"

namespace tandem {

/// One attendant at work: sees to what has come in the order in which it began to wait for it, to
/// what was put off when nothing more has come, and to its own program when there is nothing else,
/// as a Reactor does.
class Attending {
 public:
  /// What it does to the job around it.
  struct World {
    /// False where it is a wait for something that is not there to be waited for.
    virtual bool begin_step(EventId step) = 0;
    virtual void post(EventId message, int rank) = 0;

   protected:
    ~World() = default;
  };

  /// All must outlive it.
  Attending(const EventGraph& graph, int rank, const Attendant& attendant, Lines& lines,
            World& world);

  /// A message has ended that it began to wait for as its `order`th.
  void came(EventId message, int order) {
    if (attendant_.reactions.contains(message)) come_.emplace(order, message);
  }
  bool sees(EventId message) const { return attendant_.reactions.contains(message); }
  void step_ended() { is_busy_ = false; }
  /// Does what it can do now.
  void go_on();

 private:
  struct Frame {
    const Deeds* deeds;
    bool was_put_off = false;
    std::size_t next = 0;
  };

  bool find_work();
  void see_to(EventId message);
  void end_frame();
  void perform(const Deed& deed);
  void count(int source, int tag);
  void free_what_waited_for(const MessageCounts::key_type& messages);
  void take_turn(EventId message);

  const EventGraph& graph_;
  int rank_;
  const Attendant& attendant_;
  Lines& lines_;
  World& world_;
  bool is_busy_ = false;
  std::size_t done_of_program_ = 0;
  std::vector<Frame> under_way_;  ///< the last first
  std::multimap<int, EventId> come_;
  std::map<int, int> seen_;  ///< by group
  /// Of Attendant::put_off, by group and how many of it.
  std::multimap<std::pair<int, int>, const Deeds*> to_put_off_;
  std::deque<const Deeds*> put_off_;
  int put_off_done_ = 0;
  std::vector<Deed> held_;  ///< until more of that is done
  MessageCounts counted_;
  std::vector<std::size_t> needs_left_;  ///< of each of Attendant::held
  /// Which of these need so many messages.
  std::map<MessageCounts::key_type, std::multimap<int, std::size_t>> needed_by_;
  std::set<std::size_t> free_;  ///< of these, those that need nothing more and are still held
  std::deque<Deeds> freed_;     ///< what was let go at a time
};

}  // namespace tandem
