#include "core/explain/critical_path.h"

#include <fmt/format.h>

#include <algorithm>

namespace tandem {
namespace {

class Walk {
 public:
  Walk(const EventGraph& graph, const TracedNetwork& network, const std::vector<Moment>& moments,
       int workers)
      : graph_(graph), network_(network), moments_(moments), workers_(workers) {}

  /// Adds what the period consists of.
  void add(const Window& window) {
    from_ = window.begin;
    Seconds until = window.end;
    std::optional<EventId> at = window.last;
    while (at && until > from_) {
      const Moment& moment = moments_[*at];
      const std::optional<EventId> before = moment.after;
      // A wait took what is left of it once its message was there.
      const Seconds begin =
          std::min(until, graph_[*at].kind == EventKind::kWait && before ? moments_[*before].end
                                                                         : moment.begin);
      add_event(*at, begin, until);
      until = std::max(from_, begin);
      if (before && moments_[*before].end < until)
        add("between events", until - std::max(from_, moments_[*before].end));
      if (before) until = std::min(until, moments_[*before].end);
      at = before;
    }
    if (until > from_) add("before the trace begins", until - from_);
    ++windows_;
  }

  /// In the mean over what was added.
  std::vector<PathPart> parts() const {
    std::vector<PathPart> all;
    for (const auto& [cause, time] : times_) all.push_back({cause, time / windows_});
    std::ranges::sort(all, std::greater{}, &PathPart::time);
    return all;
  }

 private:
  void add(const std::string& cause, Seconds time) {
    if (time > 0) times_[cause] += time;
  }

  /// Of the event's time, what lies in the iteration and before `until`.
  void add_event(EventId id, Seconds begin, Seconds until) {
    const Event& event = graph_[id];
    const Seconds time = until - std::max(from_, begin);
    if (time <= 0) return;
    if (event.kind == EventKind::kCompute) {
      return add(event.rank < workers_ ? "compute: " + event.name : "server: " + event.name, time);
    }
    if (event.kind == EventKind::kWait) return add("waiting for nothing that was traced", time);
    const Seconds fixed = std::min(time, event.time.latency);
    const Seconds software = std::min(time - fixed, event.time.fixed);
    const Seconds reduce = std::min(time - fixed - software, event.time.reduce);
    add("latency: " + event.name, fixed);
    add("software: " + event.name, software);
    add("adding: " + event.name, reduce);
    add("transfer: " + place(id), time - fixed - software - reduce);
  }

  std::string host(int rank) const {
    const auto index = static_cast<std::size_t>(rank);
    return index < network_.hosts.size() ? network_.hosts[index] : fmt::format("rank {}", rank);
  }

  std::string place(EventId id) const {
    const Event& event = graph_[id];
    if (event.kind == EventKind::kCollective) return event.name;
    if (!moments_[id].bound_by.empty()) return "link " + moments_[id].bound_by;
    return host(event.source) + " to " + host(event.destination);
  }

  const EventGraph& graph_;
  const TracedNetwork& network_;
  const std::vector<Moment>& moments_;
  int workers_;
  Seconds from_ = 0;
  int windows_ = 0;
  std::map<std::string, Seconds> times_;
};

}  // namespace

std::vector<PathPart> critical_path(const EventGraph& graph, const TracedNetwork& network,
                                    const std::vector<Moment>& moments, const Scope& scope) {
  Walk walk(graph, network, moments, scope.workers);
  for (const Windows& windows : typical_periods(graph, moments, scope))
    for (const auto& [rank, window] : windows) walk.add(window);
  return walk.parts();
}

}  // namespace tandem
