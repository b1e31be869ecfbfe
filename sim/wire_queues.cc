#include "sim/wire_queues.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace tandem {

double WireQueues::room(double bandwidth) const {
  constexpr double kWithoutEnd = std::numeric_limits<double>::infinity();
  const double in_time = makes_wait() ? longest_wait_ * bandwidth : kWithoutEnd;
  return std::min(in_time, most_queued_ > 0 ? most_queued_ : kWithoutEnd);
}

double WireQueues::portion(double left, double at_once, double bandwidth) const {
  if (most_queued_ == 0) return left;
  const double train = std::max(1.0, std::floor(most_queued_ / 2));
  if (left <= train) return left;
  const auto in_trains = [train](double bytes) { return std::floor(bytes / train) * train; };
  const double passed = in_trains(at_once), whole = in_trains(left);
  if (whole <= passed) return left;
  return std::min(whole, passed + std::max(train, in_trains(1.5 * room(bandwidth))));
}

void WireQueues::begin(const simgrid::s4u::Host* from, Way way, const Message& message) {
  if (makes_wait()) leaving_[from][way].push_back(message);
}

void WireQueues::depart(const simgrid::s4u::Host* from, Way way, std::uint64_t id,
                        simgrid::s4u::CommPtr comm, std::size_t to_come) {
  if (!makes_wait()) return;
  // One that failed as it began, because a link is off, has ended already.
  std::vector<Message>& messages = leaving_[from][way];
  const auto here = std::ranges::find(messages, id, &Message::id);
  if (here == messages.end()) return;
  here->comm = std::move(comm);
  here->to_come = static_cast<double>(to_come);
}

void WireQueues::end(const simgrid::s4u::Host* from, Way way, std::uint64_t id) {
  if (!makes_wait()) return;
  auto& connections = leaving_[from];
  const auto here = connections.find(way);
  if (here == connections.end()) return;
  std::erase_if(here->second, [&](const Message& message) { return message.id == id; });
  if (here->second.empty()) connections.erase(here);
}

Seconds WireQueues::wait_behind(const std::vector<Message>& messages) const {
  const Seconds now = simgrid::s4u::Engine::get_clock();
  Seconds wait = 0, most = 0;
  for (const Message& message : messages) {
    if (message.begin >= now) continue;
    if (message.bandwidth == 0) return longest_wait_;
    const double two_trains = room(message.bandwidth);
    const double last = std::fmod(message.bytes, two_trains / 2);
    const double left =
        message.comm ? message.comm->get_remaining() + message.to_come : message.bytes;
    wait += (left > last ? left - last : left) / message.bandwidth;
    most = std::max(most, two_trains / message.bandwidth);
  }
  return std::min(wait, most);
}

Seconds WireQueues::wait(const simgrid::s4u::Host* from, Way way) const {
  const auto found = leaving_.find(from);
  if (found == leaving_.end()) return 0;
  Seconds wait = 0;
  for (const auto& [other, messages] : found->second)
    if (other != way) wait += wait_behind(messages);
  return wait;
}

}  // namespace tandem
