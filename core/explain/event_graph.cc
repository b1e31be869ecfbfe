#include "core/explain/event_graph.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "core/explain/deed_book.h"

namespace tandem {
namespace {

constexpr Seconds kTogether = 1e-9;

/// The computations and waits of one member, in order.
struct Program {
  std::vector<EventId> events;
  std::vector<int> positions;
};

/// What one member does in a round of a collective.
struct Round {
  std::vector<EventId> posted, awaited;  ///< messages
  const Span* sum = nullptr;             ///< of what came, if it is added up
};
using Rounds = std::map<std::pair<int, int>, Round>;  ///< by slice and number

class Builder {
 public:
  Builder(const TracedPoint& point, const HoldRule& rule) : point_(point), rule_(rule) {}

  EventGraph build() && {
    for (const MemberSpan& member : point_.spans)
      if (member.span.task.kind != Task::Kind::kOwn && member.span.lane == Lane::kCommunication)
        books_.try_emplace(member.rank);
    add_programs();
    for (const MemberSpan& member : point_.spans)
      if (member.span.round.collective != 0) add_to_round(member);
    for (const MemberSpan* member : sides_as_posted()) add_side(*member);
    post_after_programs();
    end_waits();
    for (auto& [rank, book] : books_)
      graph_[boost::graph_bundle][rank] = std::move(book).attendant(graph_, shared_, rank, rule_);
    settle_turns();
    explain_begins();
    keep_times_beside_collectives();
    return std::move(graph_);
  }

 private:
  void add_programs() {
    std::map<int, std::vector<const Span*>> spans;
    for (const MemberSpan& member : point_.spans)
      if (member.span.lane != Lane::kCommunication) spans[member.rank].push_back(&member.span);
    for (auto& [rank, of_rank] : spans) {
      std::ranges::stable_sort(of_rank, {}, &Span::position);
      for (const Span* span : of_rank) add_step(rank, *span);
    }
  }

  void add_step(int rank, const Span& span) {
    Program& program = programs_[rank];
    const bool waits = span.lane == Lane::kWait;
    const EventId id = boost::add_vertex({.kind = waits ? EventKind::kWait : EventKind::kCompute,
                                          .rank = rank,
                                          .name = waits ? "wait" : span.phase,
                                          .iteration = span.iteration,
                                          .begin = span.begin,
                                          .end = span.end,
                                          .duration = span.end - span.begin},
                                         graph_);
    const auto book = books_.find(rank);
    const bool attends = book != books_.end();
    if (program.events.empty()) graph_[id].earliest = span.begin;
    if (!program.events.empty() && !attends) boost::add_edge(program.events.back(), id, graph_);
    program.events.push_back(id);
    program.positions.push_back(span.position);
    const bool sees = attends && waits && span.task.kind == Task::Kind::kServing;
    if (attends) sees ? book->second.saw(span, id) : book->second.step(span, id);
    if (waits && span.message != 0) waits_.push_back({id, span.message, sees});
  }

  /// What one member shows of a message or collective, which several may.
  EventId shared_event(const MemberSpan& member) {
    const Span& span = member.span;
    const bool is_message = span.peer >= 0;
    const auto key = span.message != 0 ? span.message : ++unnamed_ << 50;
    const auto [found, is_new] = shared_.try_emplace(key, 0);
    if (is_new) found->second = boost::add_vertex(event_of(member), graph_);
    Event& event = graph_[found->second];
    if (is_new && is_message) ways_[{event.source, event.destination}].push_back(found->second);
    event.begin = is_new ? span.begin : std::max(event.begin, span.begin);
    event.end = std::max(event.end, span.end);
    event.time.latency = std::max(event.time.latency, span.time.latency);
    event.time.reduce = std::max(event.time.reduce, span.time.reduce);
    event.is_sent |= span.name == "send";
    event.is_received |= span.name == "receive";
    event.in_turn |= span.turn.position >= 0;
    event.priority = std::max(event.priority, span.turn.priority);
    return found->second;
  }

  void add_to_round(const MemberSpan& member) {
    const Span& span = member.span;
    Rounds& rounds = rounds_[{member.rank, span.round.collective}];
    Round& round = rounds[{span.round.slice, span.round.number}];
    if (span.peer < 0) {
      round.sum = &span;
      return;
    }
    const EventId message = shared_event(member);
    const bool sends = span.name == "send";
    if (!span.unasked || sends) round.posted.push_back(message);
    if (!span.unasked || !sends) round.awaited.push_back(message);
  }

  /// What members show of messages and collectives, each member's in the order in which it posted
  /// them: those that it posts together ask for their turns in that order.
  std::vector<const MemberSpan*> sides_as_posted() const {
    std::vector<const MemberSpan*> sides;
    for (const MemberSpan& member : point_.spans)
      if (member.span.lane == Lane::kCommunication && member.span.round.collective == 0)
        sides.push_back(&member);
    std::ranges::stable_sort(
        sides, {}, [](const MemberSpan* side) { return std::pair(side->rank, side->span.order); });
    return sides;
  }

  /// One member's part of a message or collective.
  void add_side(const MemberSpan& member) {
    const Span& span = member.span;
    const auto rounds = rounds_.find({member.rank, span.message});
    if (rounds != rounds_.end()) return add_rounds(member, rounds->second);
    const EventId id = shared_event(member);
    if (!span.unasked || span.name == "send" || span.from_any) add_post(member, id);
    if (span.peer >= 0) return;
    whole_collectives_.insert(id);
    follow_collective(member.rank, id);
  }

  /// A member's collectives run one after the other.
  void follow_collective(int rank, EventId id) {
    const auto before = last_collective_.find(rank);
    if (before != last_collective_.end() && before->second != id)
      boost::add_edge(before->second, id, graph_);
    last_collective_[rank] = id;
  }

  /// One member's part of a collective, in slices that go beside each other: each round's messages
  /// come after the slice's round before, and what came of it is added up.
  void add_rounds(const MemberSpan& member, const Rounds& rounds) {
    const Span& span = member.span;
    const EventId begin = add_part(span, span.begin, span.begin);
    add_post(member, begin);
    follow_collective(member.rank, begin);
    std::map<int, EventId> ends;                    // of slices
    std::vector<std::pair<Seconds, EventId>> sums;  // which a member forms one after the other
    for (const auto& [place, round] : rounds) {
      EventId& last = ends.try_emplace(place.first, begin).first->second;
      Seconds there = graph_[last].end;
      for (const EventId message : round.posted) boost::add_edge(last, message, graph_);
      for (const EventId message : round.awaited) {
        graph_[message].name = span.name;
        there = std::max(there, graph_[message].end);
      }
      const EventId end = round.sum ? add_part(span, round.sum->begin, round.sum->end)
                                    : add_part(span, there, there);
      if (round.sum) sums.emplace_back(round.sum->begin, end);
      boost::add_edge(last, end, graph_);
      for (const EventId message : round.awaited) boost::add_edge(message, end, graph_);
      last = end;
    }
    EventId last = ends.begin()->second;
    if (ends.size() > 1) {
      std::ranges::stable_sort(sums, {}, &std::pair<Seconds, EventId>::first);
      for (std::size_t i = 1; i < sums.size(); ++i)
        boost::add_edge(sums[i - 1].second, sums[i].second, graph_);
      last = add_part(span, span.end, span.end);
      for (const auto& [slice, end] : ends) boost::add_edge(end, last, graph_);
    }
    last_collective_[member.rank] = last;
    ends_of_rounds_[{member.rank, span.message}] = last;
  }

  EventId add_part(const Span& collective, Seconds begin, Seconds end) {
    return boost::add_vertex({.kind = EventKind::kCollective,
                              .name = collective.name,
                              .iteration = collective.iteration,
                              .begin = begin,
                              .end = end,
                              .time = {.reduce = end - begin}},
                             graph_);
  }

  Event event_of(const MemberSpan& member) const {
    const Span& span = member.span;
    Event event{.kind = EventKind::kCollective,
                .name = span.name,
                .iteration = span.iteration,
                .begin = span.begin,
                .end = span.end,
                .time = span.time,
                .bytes = static_cast<double>(span.bytes)};
    if (span.peer < 0) return event;
    event.kind = EventKind::kMessage;
    event.name = "messages";
    event.source = span.name == "send" ? member.rank : span.peer;
    event.destination = span.name == "send" ? span.peer : member.rank;
    const auto route = point_.network.routes.find({event.source, event.destination});
    event.tag = span.tag;
    event.unasked = span.unasked;
    event.has_route = route != point_.network.routes.end() && span.time.alone >= 0;
    if (!event.has_route) return event;
    event.links = route->second.links;
    event.route_latency = route->second.latency;
    return event;
  }

  /// From the last that the member did before it posted this, where that is in the trace.
  void add_post(const MemberSpan& member, EventId id) {
    const auto program = programs_.find(member.rank);
    if (program == programs_.end()) return;
    const auto book = books_.find(member.rank);
    if (book != books_.end()) {
      graph_[id].from_any |= member.span.from_any;
      return book->second.post(member.span, id);
    }
    const auto& [events, positions] = program->second;
    std::size_t before = 0;
    if (member.span.position >= 0) {
      before = std::ranges::lower_bound(positions, member.span.position) - positions.begin();
    } else {
      before = std::ranges::upper_bound(events, member.span.begin + kTogether, {},
                                        [&](EventId at) { return graph_[at].end; }) -
               events.begin();
    }
    if (before > 0) boost::add_edge(events[before - 1], id, graph_);
  }

  /// What a member does after its last iteration is in no trace, but the other side of it may be.
  void post_after_programs() {
    std::map<std::pair<int, int>, std::vector<EventId>> sent;  // by way
    for (const auto id : boost::make_iterator_range(boost::vertices(graph_))) {
      Event& event = graph_[id];
      if (event.kind != EventKind::kMessage || event.is_sent == event.is_received) continue;
      const auto program = programs_.find(event.is_sent ? event.destination : event.source);
      if (program == programs_.end() || books_.contains(program->first)) continue;
      const EventId last = program->second.events.back();
      if (event.begin < graph_[last].end - kTogether) continue;
      boost::add_edge(last, id, graph_);
      if (!event.is_sent) sent[{event.source, event.destination}].push_back(id);
      event.is_sent = true;
    }
    for (const auto& [way, messages] : sent)
      if (follow_each_other(messages))
        for (const EventId id : messages) graph_[id].in_turn = true;
  }

  /// Whether one of them begins where another ends: then they took turns. One of no duration keeps
  /// nobody waiting, and ends where it begins itself.
  bool follow_each_other(const std::vector<EventId>& messages) const {
    std::set<Seconds> ends;
    for (const EventId id : messages)
      if (graph_[id].end > graph_[id].begin + kTogether) ends.insert(graph_[id].end);
    return std::ranges::any_of(messages, [&](EventId id) {
      const auto end = ends.lower_bound(graph_[id].begin - kTogether);
      return end != ends.end() && *end <= graph_[id].begin + kTogether;
    });
  }

  void end_waits() {
    for (const auto& [wait, message, sees] : waits_) {
      const auto shared = shared_.find(message);
      const auto own = ends_of_rounds_.find({graph_[wait].rank, message});
      if (shared == shared_.end() && own == ends_of_rounds_.end()) continue;
      const EventId waited_for = own != ends_of_rounds_.end() ? own->second : shared->second;
      Event& event = graph_[wait];
      if (!sees) boost::add_edge(waited_for, wait, graph_);
      event.duration = std::max(0.0, event.end - std::max(event.begin, graph_[waited_for].end));
      if (event.duration < kTogether) event.duration = 0;
    }
  }

  /// Who was not seen to ask for its turn had it before the trace began.
  void settle_turns() {
    for (const auto id : boost::make_iterator_range(boost::vertices(graph_))) {
      Event& event = graph_[id];
      if (!event.in_turn || books_.contains(event.source)) continue;
      event.in_turn = false;
      for (const auto edge : boost::make_iterator_range(boost::in_edges(id, graph_)))
        event.in_turn |= graph_[boost::source(edge, graph_)].rank == event.source;
    }
  }

  /// Messages of one way may take turns: what begins where another ends waited for it.
  void explain_begins() {
    for (const auto id : boost::make_iterator_range(boost::vertices(graph_))) {
      Event& event = graph_[id];
      if (event.kind == EventKind::kWait) continue;
      const bool is_free = event.deeds > 0 || event.in_turn;  // of what only the trace shows
      if (boost::in_degree(id, graph_) == 0 && !is_free) event.earliest = event.begin;
      Seconds ready = event.earliest;
      for (const auto edge : boost::make_iterator_range(boost::in_edges(id, graph_)))
        ready = std::max(ready, graph_[boost::source(edge, graph_)].end);
      if (event.kind == EventKind::kMessage && !is_free && event.begin > ready + kTogether) {
        for (const EventId before : ways_[{event.source, event.destination}]) {
          if (before == id || std::abs(graph_[before].end - event.begin) > kTogether) continue;
          boost::add_edge(before, id, graph_);
          ready = event.begin;
        }
      }
      event.begin = std::max(event.begin, ready);
      event.gap = event.begin - ready > kTogether && !is_free ? event.begin - ready : 0;
      event.duration = std::max(0.0, event.end - event.begin);
    }
  }

  /// A collective that the trace does not show round by round is no flow of replay(), so a message
  /// that may have shared links with one keeps the time that it took. One of a single member has
  /// taken none.
  void keep_times_beside_collectives() {
    std::map<Seconds, Seconds> busy;  // by begin, the end of stretches with collectives
    std::vector<const Event*> collectives;
    for (const EventId id : whole_collectives_)
      if (graph_[id].duration > kTogether) collectives.push_back(&graph_[id]);
    std::ranges::sort(collectives, {}, &Event::begin);
    for (const Event* event : collectives) {
      if (busy.empty() || event->begin > busy.rbegin()->second)
        busy.emplace(event->begin, event->end);
      else
        busy.rbegin()->second = std::max(busy.rbegin()->second, event->end);
    }
    for (const auto id : boost::make_iterator_range(boost::vertices(graph_))) {
      Event& event = graph_[id];
      auto after = busy.lower_bound(event.end - kTogether);
      if (after != busy.begin() && (--after)->second > event.begin + kTogether)
        event.has_route = false;
    }
  }

  const TracedPoint& point_;
  const HoldRule& rule_;
  EventGraph graph_;
  std::map<int, Program> programs_;
  std::map<int, DeedBook> books_;  ///< of those that see to whatever comes first
  std::map<std::uint64_t, EventId> shared_;
  std::map<std::pair<int, std::uint64_t>, Rounds> rounds_;           ///< by rank and collective
  std::map<std::pair<int, std::uint64_t>, EventId> ends_of_rounds_;  ///< likewise
  std::set<EventId> whole_collectives_;     ///< whose rounds the trace does not show
  std::map<int, EventId> last_collective_;  ///< by rank
  std::map<std::pair<int, int>, std::vector<EventId>> ways_;
  struct Wait {
    EventId id;
    std::uint64_t message;
    bool sees;  ///< whatever came
  };
  std::vector<Wait> waits_;
  std::uint64_t unnamed_ = 0;
};

}  // namespace

EventGraph event_graph(const TracedPoint& point, const HoldRule& rule) {
  return Builder(point, rule).build();
}

}  // namespace tandem
