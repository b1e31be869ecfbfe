#include "core/interchange/paje.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <utility>
#include <vector>

#include "core/interchange/lane_states.h"
#include "core/record/message_sides.h"

namespace tandem {
namespace {

constexpr const char* kHeader = R"(%EventDef PajeDefineContainerType 0
%       Alias string
%       Type string
%       Name string
%EndEventDef
%EventDef PajeDefineStateType 1
%       Alias string
%       Type string
%       Name string
%EndEventDef
%EventDef PajeDefineLinkType 2
%       Alias string
%       Type string
%       StartContainerType string
%       EndContainerType string
%       Name string
%EndEventDef
%EventDef PajeDefineEntityValue 3
%       Alias string
%       Type string
%       Name string
%       Color color
%EndEventDef
%EventDef PajeCreateContainer 4
%       Time date
%       Alias string
%       Type string
%       Container string
%       Name string
%EndEventDef
%EventDef PajeDestroyContainer 5
%       Time date
%       Type string
%       Name string
%EndEventDef
%EventDef PajePushState 6
%       Time date
%       Type string
%       Container string
%       Value string
%       Detail string
%       Iteration int
%EndEventDef
%EventDef PajePopState 7
%       Time date
%       Type string
%       Container string
%EndEventDef
%EventDef PajeStartLink 8
%       Time date
%       Type string
%       Container string
%       Value string
%       StartContainer string
%       Key string
%       Bytes int
%EndEventDef
%EventDef PajeEndLink 9
%       Time date
%       Type string
%       Container string
%       Value string
%       EndContainer string
%       Key string
%EndEventDef
0 TJ 0 "job"
0 TM TJ "member"
0 TA TM "activity lane"
0 TC TM "communication lane"
1 SA TA "activity"
1 SC TC "communication"
2 LM TJ TC TC "message"
3 VM LM "message" "0.33 0.33 0.33"
)";

/// A lane of a member's: what it computes and waits for, or its communication.
struct Track {
  char letter;  ///< in the names of its type and of its containers
  const char* name;
};

constexpr Track kActivity{'A', "activity"}, kCommunication{'C', "communication"};

Track track_of(const Span& span) {
  return span.lane == Lane::kCommunication ? kCommunication : kActivity;
}

/// Between quotes, which the format knows no way to write within them.
std::string quoted(std::string text) {
  for (char& c : text) {
    if (c == '"') c = '\'';
    if (static_cast<unsigned char>(c) < ' ') c = ' ';
  }
  return '"' + text + '"';
}

std::string detail_of(const Span& span) {
  if (span.lane != Lane::kCommunication) return span.name;
  std::string text = span.name;
  if (span.peer >= 0) text += fmt::format(" {} {}", span.name == "send" ? "to" : "from", span.peer);
  return text + fmt::format(" ({} bytes)", span.bytes);
}

/// Colours that the colour-blind can tell apart (Okabe and Ito, "Color universal design", 2008).
const char* colour_of(const std::string& kind, Track track) {
  static const std::map<std::string, const char*> known = {
      {"forward", "0.34 0.71 0.91"}, {"backward", "0 0.45 0.7"}, {"update", "0 0.62 0.45"},
      {"input", "0.8 0.47 0.65"},    {"wait", "0.82 0.82 0.82"}, {"send", "0.84 0.37 0"},
      {"receive", "0.9 0.62 0"}};
  if (const auto found = known.find(kind); found != known.end()) return found->second;
  return track.letter == kCommunication.letter ? "0.84 0.37 0" : "0 0.45 0.7";
}

/// Lines that may be added in any order of time.
class Lines {
 public:
  /// At one time, what ends comes first, and a link begins before it ends.
  enum class Turn { kPop, kPush, kLinkBegins, kLinkEnds };

  void add(Seconds time, Turn turn, std::string rest) {
    lines_.push_back({time, turn, std::move(rest)});
  }

  /// Times count from `zero`.
  std::string text(Seconds zero) {
    std::ranges::stable_sort(lines_, {},
                             [](const Line& line) { return std::pair(line.time, line.turn); });
    std::string text;
    for (const Line& line : lines_)
      text += fmt::format("{} {:.9f} {}\n", event_of(line.turn), std::max(0.0, line.time - zero),
                          line.rest);
    return text;
  }

 private:
  struct Line {
    Seconds time;
    Turn turn;
    std::string rest;
  };

  static int event_of(Turn turn) {
    static constexpr std::array<int, 4> kEvents = {7, 6, 8, 9};
    return kEvents[static_cast<std::size_t>(turn)];
  }

  std::vector<Line> lines_;
};

class PajeTrace {
 public:
  explicit PajeTrace(const TracedPoint& point) : point_(point) {
    for (const auto& [rank, span] : point.spans) {
      lanes_[rank];
      lanes_[rank][track_of(span).letter].push_back(&span);
      sides_.add(span);
      begin_ = std::min(begin_, span.begin);
      end_ = std::max(end_, span.end);
    }
  }

  std::string text() {
    for (const auto& [rank, lanes] : lanes_) {
      for (const Track track : {kActivity, kCommunication})
        if (const auto lane = lanes.find(track.letter); lane != lanes.end())
          add_states(rank, track, lane_states(lane->second));
    }
    add_links();
    return kHeader + values_ + containers() + lines_.text(begin_) + ends();
  }

 private:
  void add_states(int rank, Track track, const std::vector<LaneState>& states) {
    const std::string lane = fmt::format("S{0} {0}{1}", track.letter, rank);
    for (const LaneState& state : states) {
      lines_.add(state.begin, Lines::Turn::kPush,
                 fmt::format("{} {} {} {}", lane, value_of(state.kind, track),
                             quoted(detail_of(*state.first)), state.first->iteration));
      lines_.add(state.end, Lines::Turn::kPop, lane);
    }
  }

  std::string value_of(const std::string& kind, Track track) {
    const auto [known, is_new] =
        names_.try_emplace({track.letter, kind}, fmt::format("V{}{}", track.letter, names_.size()));
    if (is_new)
      values_ += fmt::format("3 {} S{} {} \"{}\"\n", known->second, track.letter, quoted(kind),
                             colour_of(kind, track));
    return known->second;
  }

  void add_links() {
    std::map<std::uint64_t, Seconds> sent;
    for (const auto& [rank, span] : point_.spans) {
      if (!sides_.begins_arrow(span)) continue;
      sent[span.message] = span.begin;
      lines_.add(span.begin, Lines::Turn::kLinkBegins,
                 fmt::format("LM J VM C{} {} {}", rank, span.message, span.bytes));
    }
    for (const auto& [rank, span] : point_.spans) {
      if (!sides_.ends_arrow(span)) continue;
      lines_.add(std::max(span.end, sent.at(span.message)), Lines::Turn::kLinkEnds,
                 fmt::format("LM J VM C{} {}", rank, span.message));
    }
  }

  /// Of the job, its members, and their lanes.
  std::string containers() const {
    std::string text = fmt::format("4 0 J TJ 0 {}\n", quoted(job_name()));
    for (const auto& [rank, lanes] : lanes_) {
      text += fmt::format("4 0 M{} TM J {}\n", rank, quoted(member_name(rank)));
      for (const Track track : {kActivity, kCommunication})
        text += fmt::format("4 0 {}{} T{} M{} {}\n", track.letter, rank, track.letter, rank,
                            quoted(fmt::format("{} {}", member_name(rank), track.name)));
    }
    return text;
  }

  std::string ends() const {
    std::string text;
    for (const auto& [rank, lanes] : lanes_) {
      for (const Track track : {kActivity, kCommunication})
        text += fmt::format("5 {:.9f} T{} {}{}\n", end_ - begin_, track.letter, track.letter, rank);
      text += fmt::format("5 {:.9f} TM M{}\n", end_ - begin_, rank);
    }
    return text + fmt::format("5 {:.9f} TJ J\n", end_ - begin_);
  }

  std::string job_name() const {
    return fmt::format("{} ({})", point_.scenario.value("name", "job"), point_.world);
  }

  /// Servers have the highest ranks.
  std::string member_name(int rank) const {
    const int workers = point_.scenario.at("workers");
    return rank < workers ? fmt::format("worker {}", rank)
                          : fmt::format("server {}", rank - workers);
  }

  const TracedPoint& point_;
  std::map<int, std::map<char, std::vector<const Span*>>> lanes_;  ///< by rank
  MessageSides sides_;
  Seconds begin_ = kForever, end_ = -kForever;
  std::map<std::pair<char, std::string>, std::string> names_;  ///< of values
  std::string values_;
  Lines lines_;
};

}  // namespace

std::string paje_trace(const TracedPoint& point) {
  return PajeTrace(point).text();
}

}  // namespace tandem
