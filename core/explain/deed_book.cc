#include "core/explain/deed_book.h"

#include <algorithm>

namespace tandem {

void DeedBook::step(const Span& span, EventId event) {
  entries_.push_back({span.position, true, span.begin, {Deed::Kind::kStep, event}, span.task});
  positions_.insert(span.position);
}

void DeedBook::saw(const Span& wait, EventId event) {
  step(wait, event);
  entries_.back().seen = wait.message;
}

void DeedBook::post(const Span& span, EventId event) {
  entries_.push_back({span.position, false, span.begin, {Deed::Kind::kPost, event}, span.task});
  if (span.turn.position < 0) return;
  entries_.push_back(
      {span.turn.position, false, span.begin, {Deed::Kind::kAsk, event}, span.turn.task});
}

// A wait that took nothing is in no trace, but was counted.
void DeedBook::add_looks() {
  std::vector<Entry> looks;
  for (const Entry& entry : entries_) {
    const bool looked = entry.is_step && entry.task.kind == Task::Kind::kOwn &&
                        entry.position > *positions_.begin() &&
                        !positions_.contains(entry.position - 1);
    if (looked) looks.push_back({entry.position - 1, true, entry.begin, {Deed::Kind::kLook}, {}});
  }
  entries_.insert(entries_.end(), looks.begin(), looks.end());
}

Attendant DeedBook::attendant(EventGraph& graph, const std::map<std::uint64_t, EventId>& messages,
                              int rank, const HoldRule& rule) && {
  add_looks();
  std::ranges::sort(entries_, {}, &Entry::order);
  Attendant made;
  std::map<std::pair<int, int>, int> groups;
  std::map<int, int> seen;
  std::map<EventId, int> counts;  // by message, how many of its group were seen by then
  for (const Entry& entry : entries_) {
    if (entry.seen == 0) continue;
    const auto found = messages.find(entry.seen);
    if (found == messages.end()) continue;
    const EventId message = found->second;
    const Event& event = graph[message];
    const bool is_receive = event.destination == rank;
    const int fresh = static_cast<int>(groups.size());
    const int group =
        is_receive ? groups.try_emplace({event.tag, event.iteration}, fresh).first->second
                   : groups.try_emplace({-1, static_cast<int>(message)}, fresh).first->second;
    made.reactions[message] = {};
    made.groups[message] = group;
    counts[message] = ++seen[group];
  }
  std::map<EventId, Attendant::PutOff> put_off;
  std::set<int> put_off_tasks;
  std::map<int, Deeds> turns;                // by Task::number
  std::map<std::pair<int, int>, int> asked;  // by destination and tag
  for (const Entry& entry : entries_) {
    const auto found = messages.find(entry.seen != 0 ? entry.seen : entry.task.cause);
    const bool is_caused = found != messages.end() && made.reactions.contains(found->second);
    const bool is_turn = entry.task.kind == Task::Kind::kTurn;
    const bool is_put_off = entry.task.kind == Task::Kind::kPutOff;
    Deeds& deeds = is_turn                         ? turns[entry.task.number]
                   : !is_caused                    ? made.program
                   : is_put_off && entry.seen == 0 ? put_off[found->second].deeds
                                                   : made.reactions[found->second];
    if (is_put_off) put_off_tasks.insert(entry.task.number);
    if (rule && entry.deed.kind == Deed::Kind::kAsk) {
      const Event& event = graph[entry.deed.event];
      const int number = asked[{event.destination, event.tag}]++;
      MessageCounts needs = rule(event.destination, event.tag, number);
      if (!needs.empty()) {
        made.held.push_back({std::move(needs), {entry.deed}});
        continue;
      }
    }
    deeds.push_back(entry.deed);
    // What it sends may tell what was put off and done before.
    const bool sends = !entry.is_step && graph[entry.deed.event].source == rank;
    if (sends && entry.task.kind == Task::Kind::kReaction)
      deeds.back().after = static_cast<int>(put_off_tasks.size());
    if (entry.deed.kind == Deed::Kind::kStep || entry.deed.kind == Deed::Kind::kPost)
      ++graph[entry.deed.event].deeds;
  }
  // It answers when it has computed, and then goes on to wait for the next.
  const auto count = [&](Deeds& deeds, Deed::Kind kind, EventId message) {
    if (made.held.empty() || graph[message].destination != rank) return;
    const auto computed = std::ranges::find_if(deeds.rbegin(), deeds.rend(), [](const Deed& deed) {
      return deed.kind == Deed::Kind::kStep;
    });
    deeds.insert(computed.base(), {kind, message});
  };
  for (auto& [message, deeds] : made.reactions) count(deeds, Deed::Kind::kCount, message);
  for (auto& [message, work] : put_off) count(work.deeds, Deed::Kind::kCountPutOff, message);
  for (auto& [message, work] : put_off)
    made.put_off.push_back({made.groups[message], counts[message], std::move(work.deeds)});
  for (auto& [number, deeds] : turns)
    if (!deeds.empty()) made.turns[deeds.back().event] = std::move(deeds);  // else all are held
  return made;
}

}  // namespace tandem
