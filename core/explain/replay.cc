#include "core/explain/replay.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <limits>
#include <map>
#include <queue>
#include <set>
#include <tuple>

#include "core/base/error.h"
#include "core/base/interrupt.h"
#include "core/base/random.h"
#include "core/explain/attending.h"
#include "core/explain/max_min.h"
#include "core/record/text_table.h"

namespace tandem {
namespace {

/// Less is left of a transfer, and lies between what happens at the same time, by rounding alone.
constexpr Seconds kInstant = 1e-12;
constexpr Seconds kNever = std::numeric_limits<Seconds>::infinity();

class Replay final : public Attending::World {
 public:
  Replay(const EventGraph& graph, const TracedNetwork& network, const Change& change)
      : graph_(graph), change_(change), moments_(boost::num_vertices(graph)) {
    for (const auto& [name, bytes_per_s] : network.links) {
      numbers_[name] = static_cast<int>(names_.size());
      names_.push_back(name);
      capacities_.push_back(bytes_per_s * change.bandwidth);
    }
    for (const EventId id : boost::make_iterator_range(boost::vertices(graph)))
      if (graph[id].from_any) ++receptions_[{graph[id].destination, graph[id].tag}].to_post;
    for (const auto& [rank, attendant] : graph[boost::graph_bundle])
      attendings_.try_emplace(rank, graph, rank, attendant, lines_, *this);
  }

  std::vector<Moment> run() && {
    start();
    while (!due_.empty() || !flowing_.empty()) {
      end_if_interrupted();
      const Seconds next = std::min(due_.empty() ? kNever : due_.top().at, next_arrival());
      flow_until(next);
      const std::vector<EventId> ended = take_ended();
      for (const EventId id : ended) end(id);
      for (const EventId id : ended) {
        after_ = id;
        for (const int rank : {graph_[id].rank, graph_[id].source, graph_[id].destination})
          if (const auto found = attendings_.find(rank); found != attendings_.end())
            found->second.go_on();
      }
      meet();
      if (changed_) share();
    }
    require_ends();
    return std::move(moments_);
  }

 private:
  struct Due {
    Seconds at;
    EventId id;
    bool flows;  ///< its latency is over; else it ends
    bool operator>(const Due& other) const {
      return at != other.at ? at > other.at : id > other.id;
    }
  };
  struct Flowing {
    EventId id;
    double left;  ///< bytes
    Flow flow;
  };
  /// Of one tag, to an attendant that takes whoever comes first.
  struct Reception {
    int to_post = 0;           ///< receives, as many as messages
    std::deque<int> receives;  ///< orders of those that have met nobody
    std::set<std::tuple<Seconds, Seconds, EventId>>
        comers;  ///< have met no receive; see add_comer()
  };

  void start() {
    Seconds first = kNever;
    for (const EventId id : boost::make_iterator_range(boost::vertices(graph_))) {
      const Event& event = graph_[id];
      const int unasked = event.from_any && event.unasked ? 1 : 0;  // goes without its receive
      first = std::min(first, event.begin);
      missing_.push_back(static_cast<int>(boost::in_degree(id, graph_)) + event.deeds - unasked);
    }
    for (EventId id = 0; id < missing_.size(); ++id)
      if (missing_[id] == 0 || graph_[id].is_sent) proceed(id);
    if (attendings_.empty()) return;
    now_ = first;
    for (auto& [rank, attending] : attendings_) attending.go_on();
    meet();
  }

  void end(EventId id) {
    const Event& event = graph_[id];
    moments_[id].end = now_;
    after_ = id;
    for (const auto edge : boost::make_iterator_range(boost::out_edges(id, graph_))) {
      const EventId next = boost::target(edge, graph_);
      const bool asks = graph_[next].in_turn && graph_[next].source == event.rank;
      if (!asks || lines_.ask(graph_[next], next)) arrive(next);
    }
    if (event.kind != EventKind::kMessage) {
      if (const auto found = attendings_.find(event.rank); found != attendings_.end())
        found->second.step_ended();
      return;
    }
    if (event.from_any && event.unasked) {
      add_comer(id);
    } else {
      come(event.destination, id);
    }
    come(event.source, id);
    const auto sender = attendings_.find(event.source);
    if (event.in_turn && (sender == attendings_.end() || !sender->second.sees(id)))
      if (const auto next = lines_.done(event)) arrive(*next);
  }

  /// What attendants leave undone is what they did for messages after the trace's end.
  void require_ends() const {
    for (EventId id = 0; id < missing_.size(); ++id) {
      const Event& event = graph_[id];
      const bool is_step = event.kind == EventKind::kCompute || event.kind == EventKind::kWait;
      if (is_step && !attendings_.contains(event.rank) && missing_[id] > 0)
        throw NoEnd("events of the trace wait for each other in a circle, as no run's can");
    }
  }

  /// One less is missing of what it can't begin without.
  void arrive(EventId id) {
    --missing_[id];
    proceed(id);
  }

  void proceed(EventId id) {
    const Event& event = graph_[id];
    if (missing_[id] == 0) return begin(id);
    if (!event.from_any || event.unasked || missing_[id] > 1) return;
    add_comer(id);
  }

  // Those that come at the same time keep the order that they had.
  void add_comer(EventId id) {
    const Event& event = graph_[id];
    const std::pair way(event.destination, event.tag);
    receptions_[way].comers.emplace(std::max(now_, 0.0), event.begin, id);
    to_meet_.insert(way);
  }

  /// Once all that happens at a time is known.
  void meet() {
    while (!to_meet_.empty()) {
      const auto way = to_meet_.extract(to_meet_.begin()).value();
      auto& [to_post, receives, comers] = receptions_[way];
      while (!receives.empty() && !comers.empty()) {
        const EventId comer = std::get<EventId>(comers.extract(comers.begin()).value());
        orders_[{way.first, comer}] = receives.front();
        receives.pop_front();
        if (graph_[comer].unasked) {
          come(way.first, comer);
          attendings_.at(way.first).go_on();
        } else {
          arrive(comer);
        }
      }
    }
  }

  void come(int rank, EventId message) {
    if (const auto found = attendings_.find(rank); found != attendings_.end())
      found->second.came(message, orders_[{rank, message}]);
  }

  // What a reaction waited for may have been posted in one that now comes later.
  bool begin_step(EventId step) override {
    const Event& event = graph_[step];
    for (const auto edge : boost::make_iterator_range(boost::in_edges(step, graph_))) {
      const EventId message = boost::source(edge, graph_);
      if (graph_[message].deeds > 0 && !orders_.contains({event.rank, message})) return false;
    }
    arrive(step);
    return true;
  }

  void post(EventId message, int rank) override {
    const Event& event = graph_[message];
    const int order = ++posts_;
    if (event.from_any && event.destination == rank) {
      Reception& reception = receptions_[{rank, event.tag}];
      if (reception.to_post-- <= 0) return;
      reception.receives.push_back(order);
      to_meet_.emplace(rank, event.tag);
      return;
    }
    orders_[{rank, message}] = order;
    arrive(message);
  }

  void begin(EventId id) {
    const Event& event = graph_[id];
    const Seconds at = std::max(now_, event.earliest) + event.gap;
    moments_[id].begin = at;
    moments_[id].after = after_;
    if (event.has_route && event.time.alone > event.time.latency + event.time.fixed) {
      const Seconds before = event.time.latency * change_.latency + event.time.fixed;
      due_.push({at + jolted(before, id), id, true});
    } else {
      due_.push({at + jolted(duration(event), id), id, false});
    }
  }

  double jolted(double amount, EventId id) const {
    return change_.jolt == 0
               ? amount
               : amount * (1 + change_.jolt * (2 * RandomStream(0, id).open_uniform() - 1));
  }

  Seconds duration(const Event& event) const {
    if (event.kind == EventKind::kCompute) return event.duration / change_.compute;
    if (event.kind == EventKind::kWait) return event.duration;
    const MessageTime& time = event.time;
    const Seconds transfer = event.duration - time.latency - time.fixed - time.reduce;
    return time.latency * change_.latency + time.fixed + time.reduce / change_.compute +
           std::max(0.0, transfer) / change_.bandwidth;
  }

  void start_flow(EventId id) {
    const Event& event = graph_[id];
    Flowing& flowing = flowing_.emplace_back(Flowing{id, jolted(event.bytes, id), {}});
    const Seconds alone = event.time.alone - event.time.latency - event.time.fixed;
    flowing.flow.cap = event.bytes / alone * change_.bandwidth;
    for (const std::string& link : event.links) flowing.flow.links.push_back(numbers_.at(link));
    if (event.route_latency > 0) flowing.flow.penalty = event.route_latency;
    changed_ = true;
  }

  Seconds next_arrival() const {
    Seconds next = kNever;
    for (const Flowing& flowing : flowing_)
      next = std::min(next, now_ + flowing.left / flowing.flow.rate);
    return next;
  }

  void flow_until(Seconds next) {
    for (Flowing& flowing : flowing_) flowing.left -= flowing.flow.rate * (next - now_);
    now_ = std::max(now_, next);
  }

  /// What ends now.
  std::vector<EventId> take_ended() {
    std::vector<EventId> ended;
    while (!due_.empty() && due_.top().at <= now_ + kInstant) {
      const Due due = due_.top();
      due_.pop();
      if (due.flows && graph_[due.id].bytes > 0) {
        start_flow(due.id);
      } else {
        ended.push_back(due.id);
      }
    }
    std::erase_if(flowing_, [&](const Flowing& flowing) {
      const Seconds left = flowing.left / flowing.flow.rate;
      if (left > kInstant && now_ + left > now_) return false;
      changed_ = true;
      if (flowing.flow.bound_by >= 0) moments_[flowing.id].bound_by = names_[flowing.flow.bound_by];
      ended.push_back(flowing.id);
      return true;
    });
    return ended;
  }

  void share() {
    std::vector<Flow*> flows;
    for (Flowing& flowing : flowing_) flows.push_back(&flowing.flow);
    share_links(capacities_, flows);
    changed_ = false;
  }

  const EventGraph& graph_;
  const Change& change_;
  std::vector<Moment> moments_;
  std::map<std::string, int> numbers_;
  std::vector<std::string> names_;
  std::vector<double> capacities_;
  std::priority_queue<Due, std::vector<Due>, std::greater<>> due_;
  std::vector<Flowing> flowing_;
  std::vector<int> missing_;
  Lines lines_;
  std::map<int, Attending> attendings_;
  std::map<std::pair<int, int>, Reception> receptions_;  ///< by rank and tag
  std::set<std::pair<int, int>> to_meet_;                ///< of these, those that have changed
  std::map<std::pair<int, EventId>, int> orders_;        ///< of what an attendant has posted
  int posts_ = 0;
  std::optional<EventId> after_;  ///< what ended last
  bool changed_ = false;
  Seconds now_ = -kNever;
};

/// By worker and iteration, the last of the worker's steps in the program's order.
using LastSteps = std::map<int, std::map<int, EventId>>;

LastSteps last_steps(const EventGraph& graph, int workers) {
  LastSteps last;
  for (const EventId id : boost::make_iterator_range(boost::vertices(graph))) {
    const Event& event = graph[id];
    const bool is_step = event.kind == EventKind::kCompute || event.kind == EventKind::kWait;
    if (is_step && event.rank < workers) last[event.rank][event.iteration] = id;
  }
  return last;
}

EventId last_step(int rank, const LastSteps::mapped_type& by_iteration, int iteration) {
  const auto found = by_iteration.find(iteration);
  if (found == by_iteration.end())
    throw InputError(fmt::format(
        "the trace shows iterations of worker {} before and after {}, but not that one; make the "
        "result again",
        rank, iteration));
  return found->second;
}

/// By rank, when its first step began.
std::map<int, Seconds> first_begins(const EventGraph& graph, const std::vector<Moment>& moments) {
  std::map<int, Seconds> first;
  for (const EventId id : boost::make_iterator_range(boost::vertices(graph)))
    if (graph[id].rank >= 0) first.emplace(graph[id].rank, moments[id].begin);
  return first;
}

/// Over workers.
Seconds mean_time(const Windows& windows) {
  Seconds sum = 0;
  for (const auto& [rank, window] : windows) sum += window.end - window.begin;
  return sum / static_cast<double>(windows.size());
}

}  // namespace

std::vector<Moment> replay(const EventGraph& graph, const TracedNetwork& network,
                           const Change& change) {
  return Replay(graph, network, change).run();
}

std::vector<Windows> periods(const EventGraph& graph, const std::vector<Moment>& moments,
                             const Scope& scope) {
  const LastSteps steps = last_steps(graph, scope.workers);
  if (steps.empty()) throw InputError("the trace shows no iteration of a worker");
  int first = 0, last = std::numeric_limits<int>::max();
  for (const auto& [rank, by_iteration] : steps) {
    first = std::max(first, by_iteration.begin()->first);
    last = std::min(last, by_iteration.rbegin()->first);
  }
  const int wanted = std::max(scope.first, first > 0 ? first + 1 : 0);
  const int begin = std::min(wanted, last + 1 - scope.period);
  if (begin < first)
    throw InputError(fmt::format(
        "the trace shows {}, but what iterations do repeats itself every {}; make the result again "
        "with trace.iterations={}",
        counted(last + 1 - first, "iteration"), scope.period, scope.period + 1));
  const std::map<int, Seconds> begins = first_begins(graph, moments);
  std::vector<Windows> all;
  for (int at = begin; at + scope.period <= last + 1; at += scope.period) {
    Windows& windows = all.emplace_back();
    for (const auto& [rank, by_iteration] : steps) {
      const EventId end = last_step(rank, by_iteration, at + scope.period - 1);
      const auto before = by_iteration.find(at - 1);
      windows[rank] = {
          .begin = before != by_iteration.end() ? moments[before->second].end : begins.at(rank),
          .end = moments[end].end,
          .last = end};
    }
  }
  return all;
}

std::vector<Seconds> times_of(const std::vector<Windows>& periods, const Scope& scope) {
  std::vector<Seconds> times;
  for (const Windows& windows : periods) times.push_back(mean_time(windows) / scope.period);
  return times;
}

std::vector<Windows> typical_periods(const EventGraph& graph, const std::vector<Moment>& moments,
                                     const Scope& scope) {
  std::vector<Windows> all = periods(graph, moments, scope);
  if (scope.varies) return all;
  std::ranges::stable_sort(all, {}, mean_time);
  const std::size_t middle = (all.size() - 1) / 2;
  return {all.begin() + static_cast<std::ptrdiff_t>(middle),
          all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2 + 1)};
}

Seconds iteration_time(const EventGraph& graph, const std::vector<Moment>& moments,
                       const Scope& scope) {
  const std::vector<Windows> typical = typical_periods(graph, moments, scope);
  Seconds sum = 0;
  for (const Windows& windows : typical) sum += mean_time(windows);
  return sum / static_cast<double>(typical.size()) / scope.period;
}

}  // namespace tandem
