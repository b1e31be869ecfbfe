#include "sim/wire_queues.h"

#include <algorithm>

namespace tandem {

void WireQueues::begin(const Message& message) {
  if (most_ > 0) leaving_[message.from].push_back(message);
}

void WireQueues::end(const simgrid::s4u::Host* from, std::uint64_t id) {
  if (most_ > 0)
    std::erase_if(leaving_[from], [&](const Message& message) { return message.id == id; });
}

// The last of what the others send is shorter than what they would keep in the queue.
Seconds WireQueues::wait(const simgrid::s4u::Host* from, const simgrid::s4u::Host* to) const {
  const auto found = leaving_.find(from);
  if (found == leaving_.end()) return 0;
  const Seconds now = simgrid::s4u::Engine::get_clock();
  Seconds left = 0;
  for (const Message& message : found->second)
    if (message.to != to && message.begin < now)
      left += message.comm->get_remaining() / message.bandwidth;
  return std::min(left, most_);
}

}  // namespace tandem
