#include "sim/wire_queues.h"

#include <algorithm>
#include <cmath>

namespace tandem {

double WireQueues::held(double bandwidth) const {
  const double in_time = most_ * bandwidth;
  return held_ > 0 ? std::min(held_, in_time) : in_time;
}

void WireQueues::begin(const Message& message) {
  if (most_ == 0) return;
  end(message.from, message.id);
  leaving_[message.from].push_back(message);
}

void WireQueues::end(const simgrid::s4u::Host* from, std::uint64_t id) {
  if (most_ > 0)
    std::erase_if(leaving_[from], [&](const Message& message) { return message.id == id; });
}

double WireQueues::queued(const Message& message) const {
  const auto all = static_cast<double>(message.bytes);
  const double two_trains = held(message.bandwidth), last = std::fmod(all, two_trains / 2);
  const double left = message.comm ? message.comm->get_remaining() : all;
  return std::min(left > last ? left - last : left, two_trains);
}

Seconds WireQueues::wait(const simgrid::s4u::Host* from, const simgrid::s4u::Host* to) const {
  const auto found = leaving_.find(from);
  if (found == leaving_.end()) return 0;
  const Seconds now = simgrid::s4u::Engine::get_clock();
  Seconds wait = 0;
  for (const Message& message : found->second)
    if (message.to != to && message.begin < now) wait += queued(message) / message.bandwidth;
  return wait;
}

}  // namespace tandem
