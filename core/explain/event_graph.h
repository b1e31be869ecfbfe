#pragma once

#include <boost/graph/adjacency_list.hpp>
#include <string>
#include <vector>

#include "core/explain/attendant.h"
#include "core/record/traced_point.h"

namespace tandem {

enum class EventKind { kCompute, kWait, kMessage, kCollective };

/// Something that took time in a training job.
struct Event {
  EventKind kind = EventKind::kCompute;
  int rank = -1;     ///< who did it; -1: several
  std::string name;  ///< a computation's phase, a collective's name, also of its messages
  int iteration = -1;
  Seconds begin = 0, end = 0;  ///< as traced
  Seconds earliest = 0;        ///< where nothing in the trace comes before it
  Seconds gap = 0;             ///< from what it waited for until it began, which no event explains
  Seconds duration = 0;        ///< from where it began; a wait's: after what it waited for
  MessageTime time = {};       ///< of messages and collectives
  double bytes = 0;
  int source = -1, destination = -1;  ///< of a message
  bool has_route = false;  ///< of a message: its links are known, and all that it shared them with
  std::vector<std::string> links = {};  ///< of a message: those that it shares
  Seconds route_latency = 0;            ///< of a message: of its way as it is
  int tag = -1;                         ///< of a message
  bool is_sent = false;                 ///< of a message: the trace shows its sender
  bool is_received = false;             ///< of a message: the trace shows its receiver
  bool unasked = false;                 ///< Span::unasked
  bool from_any = false;  ///< of a message to an attendant: it takes whoever comes first
  bool in_turn = false;   ///< of a message: its sender asks for its turn
  int priority = 0;       ///< Turn::priority
  int deeds = 0;          ///< Deeds without which it can't begin
};

/// Events, and from each to those that can't begin before its end: the order of a member's program,
/// from a message or collective to the wait that it ends, and to a message or collective from
/// where its members posted it. A wait, a message and a collective begin with the last of theirs.
/// What attendants do follows from their deeds instead.
using EventGraph = boost::adjacency_list<boost::vecS, boost::vecS, boost::bidirectionalS, Event,
                                         boost::no_property, Attendants>;
using EventId = EventGraph::vertex_descriptor;

/// Of all members that the point's trace shows. `rule` is what attendants go by in a trace that
/// begins with the job; empty: what they sent, they sent for what it was traced to be for.
EventGraph event_graph(const TracedPoint& point, const HoldRule& rule = {});

}  // namespace tandem
