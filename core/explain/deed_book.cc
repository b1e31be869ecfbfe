#include "core/explain/deed_book.h"

#include <algorithm>

namespace tandem {

void DeedBook::step(const Span& span, EventId event) {
  entries_.push_back({span.position, true, -1, span.begin, {Deed::Kind::kStep, event}, span.task});
  positions_.insert(span.position);
}

void DeedBook::saw(const Span& wait, EventId event) {
  step(wait, event);
  entries_.back().seen = wait.message;
}

void DeedBook::post(const Span& span, EventId event) {
  entries_.push_back(
      {span.position, false, span.order, span.begin, {Deed::Kind::kPost, event}, span.task});
  if (span.turn.position < 0) return;
  entries_.push_back({span.turn.position,
                      false,
                      span.turn.order,
                      span.begin,
                      {Deed::Kind::kAsk, event},
                      span.turn.task});
}

// A wait that took nothing is in no trace, but was counted.
void DeedBook::add_looks() {
  std::vector<Entry> looks;
  for (const Entry& entry : entries_) {
    const bool looked = entry.is_step && entry.task.kind == Task::Kind::kOwn &&
                        entry.position > *positions_.begin() &&
                        !positions_.contains(entry.position - 1);
    if (looked)
      looks.push_back({entry.position - 1, true, -1, entry.begin, {Deed::Kind::kLook}, {}});
  }
  entries_.insert(entries_.end(), looks.begin(), looks.end());
}

/// Sorts what an attendant did by what it did it for.
class DeedBook::Sorter {
 public:
  Sorter(EventGraph& graph, const std::map<std::uint64_t, EventId>& messages, int rank,
         const HoldRule& rule)
      : graph_(graph), messages_(messages), rank_(rank), rule_(rule) {}

  /// All of them before the first deed.
  void add_message(const Entry& entry) {
    const auto found = messages_.find(entry.seen);
    if (entry.seen == 0 || found == messages_.end()) return;
    const EventId message = found->second;
    const Event& event = graph_[message];
    const auto kind = event.destination == rank_ ? std::pair(event.tag, event.iteration)
                                                 : std::pair(-1, static_cast<int>(message));
    const int group = groups_.try_emplace(kind, static_cast<int>(groups_.size())).first->second;
    made_.reactions[message] = {};
    made_.groups[message] = group;
    counts_[message] = ++seen_[group];
  }

  void add_deed(const Entry& entry) {
    Deeds& deeds = deeds_for(entry);
    if (entry.task.kind == Task::Kind::kPutOff) put_off_tasks_.insert(entry.task.number);
    if (holds(entry)) return;
    deeds.push_back(entry.deed);
    // What it sends may tell what was put off and done before.
    const bool sends = !entry.is_step && graph_[entry.deed.event].source == rank_;
    if (sends && entry.task.kind == Task::Kind::kReaction)
      deeds.back().after = static_cast<int>(put_off_tasks_.size());
    if (entry.deed.kind == Deed::Kind::kStep || entry.deed.kind == Deed::Kind::kPost)
      ++graph_[entry.deed.event].deeds;
  }

  Attendant finish() && {
    receive_after_all();
    for (auto& [message, deeds] : made_.reactions) count(deeds, Deed::Kind::kCount, message);
    for (auto& [message, deeds] : put_off_) {
      count(deeds, Deed::Kind::kCountPutOff, message);
      made_.put_off.push_back({made_.groups[message], counts_[message], std::move(deeds)});
    }
    for (auto& [number, deeds] : turns_)
      if (!deeds.empty()) made_.turns[deeds.back().event] = std::move(deeds);  // else all are held
    return std::move(made_);
  }

 private:
  Deeds& deeds_for(const Entry& entry) {
    if (entry.task.kind == Task::Kind::kTurn) return turns_[entry.task.number];
    const auto found = messages_.find(entry.seen != 0 ? entry.seen : entry.task.cause);
    if (found == messages_.end() || !made_.reactions.contains(found->second)) return made_.program;
    const bool is_put_off = entry.task.kind == Task::Kind::kPutOff && entry.seen == 0;
    return is_put_off ? put_off_[found->second] : made_.reactions[found->second];
  }

  /// Whether it asks for a message to go that the rule holds back.
  bool holds(const Entry& entry) {
    if (!rule_ || entry.deed.kind != Deed::Kind::kAsk) return false;
    const Event& event = graph_[entry.deed.event];
    const int number = asked_[{event.destination, event.tag}]++;
    Needs needs = rule_(event.destination, event.tag, number);
    if (needs.joint) needs.own[{kJoint, joint_of(event.destination, number, needs)}] = 1;
    if (needs.own.empty()) return false;
    made_.held.push_back({.needs = std::move(needs.own), .deeds = {entry.deed}});
    return true;
  }

  int joint_of(int destination, int number, const Needs& needs) {
    const int fresh = static_cast<int>(joints_.size());
    const auto [joint, is_new] = joints_.try_emplace({destination, number}, fresh);
    if (is_new) made_.held.push_back({.needs = needs.joint(), .joint = fresh});
    return joint->second;
  }

  /// What waits for whoever comes next after each message of a tag does so until enough are to
  /// come: after which message it stops is a matter of their order.
  void receive_after_all() {
    struct Sample {
      Deed post;
      bool is_first;
    };
    std::map<int, Sample> samples;  // by tag
    std::vector<EventId> without;
    for (const auto& [message, deeds] : made_.reactions) {
      const Event& seen = graph_[message];
      if (!seen.from_any || seen.destination != rank_) continue;
      const auto post = std::ranges::find_if(deeds, [&](const Deed& deed) {
        const Event& event = graph_[deed.event];
        return deed.kind == Deed::Kind::kPost && event.from_any && event.destination == rank_ &&
               event.tag == seen.tag;
      });
      if (post == deeds.end())
        without.push_back(message);
      else
        samples.try_emplace(seen.tag, *post, post == deeds.begin());
    }
    for (const EventId message : without) {
      const auto sample = samples.find(graph_[message].tag);
      if (sample == samples.end()) continue;
      Deeds& deeds = made_.reactions[message];
      deeds.insert(sample->second.is_first ? deeds.begin() : deeds.end(), sample->second.post);
    }
  }

  // It answers when it has computed, and then goes on to wait for the next.
  void count(Deeds& deeds, Deed::Kind kind, EventId message) const {
    if (made_.held.empty() || graph_[message].destination != rank_) return;
    const auto computed = std::ranges::find_if(deeds.rbegin(), deeds.rend(), [](const Deed& deed) {
      return deed.kind == Deed::Kind::kStep;
    });
    deeds.insert(computed.base(), {kind, message});
  }

  EventGraph& graph_;
  const std::map<std::uint64_t, EventId>& messages_;
  const int rank_;
  const HoldRule& rule_;

  Attendant made_;
  std::map<std::pair<int, int>, int> groups_;
  std::map<int, int> seen_;        ///< by group
  std::map<EventId, int> counts_;  ///< by message, how many of its group were seen by then
  std::map<EventId, Deeds> put_off_;
  std::set<int> put_off_tasks_;
  std::map<int, Deeds> turns_;                 ///< by Task::number
  std::map<std::pair<int, int>, int> asked_;   ///< by destination and tag
  std::map<std::pair<int, int>, int> joints_;  ///< by destination and number
};

Attendant DeedBook::attendant(EventGraph& graph, const std::map<std::uint64_t, EventId>& messages,
                              int rank, const HoldRule& rule) && {
  add_looks();
  std::ranges::sort(entries_, {}, &Entry::place);
  Sorter sorter(graph, messages, rank, rule);
  for (const Entry& entry : entries_) sorter.add_message(entry);
  for (const Entry& entry : entries_) sorter.add_deed(entry);
  return std::move(sorter).finish();
}

}  // namespace tandem
