#include "core/explain/attending.h"

#include <algorithm>
#include <boost/range/iterator_range.hpp>
#include <iterator>
#include <utility>

namespace tandem {

Attending::Attending(const EventGraph& graph, int rank, const Attendant& attendant, Lines& lines,
                     World& world)
    : graph_(graph),
      rank_(rank),
      attendant_(attendant),
      lines_(lines),
      world_(world),
      needs_left_(attendant.held.size()) {
  for (const Attendant::PutOff& work : attendant.put_off)
    to_put_off_.emplace(std::pair(work.group, work.count), &work.deeds);
  for (std::size_t i = 0; i < attendant.held.size(); ++i) {
    for (const auto& [messages, count] : attendant.held[i].needs) {
      if (count <= 0) continue;
      ++needs_left_[i];
      needed_by_[messages].emplace(count, i);
    }
    if (needs_left_[i] == 0) free_.insert(i);
  }
}

void Attending::go_on() {
  while (!is_busy_) {
    if (under_way_.empty()) {
      if (!find_work()) return;
    } else if (Frame& frame = under_way_.back(); frame.next == frame.deeds->size()) {
      end_frame();
    } else {
      perform((*frame.deeds)[frame.next++]);
    }
  }
}

void Attending::end_frame() {
  if (under_way_.back().was_put_off) ++put_off_done_;
  under_way_.pop_back();
  for (const Deed& deed : std::exchange(held_, {})) perform(deed);
}

/// Whether there was any.
bool Attending::find_work() {
  const Deeds& program = attendant_.program;
  const bool is_done = done_of_program_ == program.size();
  if (!is_done && program[done_of_program_].kind != Deed::Kind::kLook) {
    perform(program[done_of_program_++]);
  } else if (!come_.empty()) {
    see_to(come_.extract(come_.begin()).mapped());
  } else if (!put_off_.empty()) {
    under_way_.push_back({.deeds = put_off_.front(), .was_put_off = true});
    put_off_.pop_front();
  } else if (!is_done) {
    ++done_of_program_;
  } else {
    return false;
  }
  return true;
}

void Attending::see_to(EventId message) {
  const int group = attendant_.groups.at(message);
  const auto [first, last] = to_put_off_.equal_range({group, ++seen_[group]});
  for (const auto& [when, deeds] : boost::make_iterator_range(first, last))
    put_off_.push_back(deeds);
  const Event& event = graph_[message];
  if (event.in_turn && event.source == rank_)
    if (const auto next = lines_.done(event)) take_turn(*next);
  under_way_.push_back({&attendant_.reactions.at(message)});
}

void Attending::perform(const Deed& deed) {
  if (deed.after > put_off_done_) return held_.push_back(deed);
  switch (deed.kind) {
    case Deed::Kind::kStep:
      is_busy_ = world_.begin_step(deed.event);
      return;
    case Deed::Kind::kPost:
      return world_.post(deed.event, rank_);
    case Deed::Kind::kAsk:
      if (lines_.ask(graph_[deed.event], deed.event)) take_turn(deed.event);
      return;
    case Deed::Kind::kCount:
      return count(graph_[deed.event].source, graph_[deed.event].tag);
    case Deed::Kind::kCountPutOff:
      return count(kPutOffWork, graph_[deed.event].tag);
    case Deed::Kind::kLook:
      return;
  }
}

void Attending::count(int source, int tag) {
  free_what_waited_for({source, tag});
  Deeds deeds;
  for (const std::size_t held : std::exchange(free_, {}))
    std::ranges::copy(attendant_.held[held].deeds, std::back_inserter(deeds));
  if (!deeds.empty()) under_way_.push_back({&freed_.emplace_back(std::move(deeds))});
}

void Attending::free_what_waited_for(const MessageCounts::key_type& messages) {
  const auto [first, last] = needed_by_[messages].equal_range(++counted_[messages]);
  for (const auto& [count, held] : boost::make_iterator_range(first, last)) {
    if (--needs_left_[held] > 0) continue;
    free_.insert(held);
    if (const auto joint = attendant_.held[held].joint) free_what_waited_for({kJoint, *joint});
  }
}

void Attending::take_turn(EventId message) {
  const auto turn = attendant_.turns.find(message);
  if (turn != attendant_.turns.end()) under_way_.push_back({&turn->second});
}

}  // namespace tandem
