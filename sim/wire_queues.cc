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

void WireQueues::begin(const Message& message) {
  if (!makes_wait()) return;
  std::vector<Connection>& connections = leaving_[message.from];
  auto connection = std::ranges::find(connections, message.to, &Connection::to);
  if (connection == connections.end())
    connection = connections.insert(connections.end(), {message.to, {}});
  connection->messages.push_back(message);
}

void WireQueues::depart(const simgrid::s4u::Host* from, std::uint64_t id,
                        simgrid::s4u::CommPtr comm) {
  if (!makes_wait()) return;
  for (Connection& connection : leaving_[from]) {
    const auto message = std::ranges::find(connection.messages, id, &Message::id);
    if (message != connection.messages.end()) message->comm = std::move(comm);
  }
}

void WireQueues::end(const simgrid::s4u::Host* from, std::uint64_t id) {
  if (!makes_wait()) return;
  for (Connection& connection : leaving_[from])
    std::erase_if(connection.messages, [&](const Message& message) { return message.id == id; });
}

Seconds WireQueues::wait_behind(const Connection& connection) const {
  const Seconds now = simgrid::s4u::Engine::get_clock();
  Seconds wait = 0, most = 0;
  for (const Message& message : connection.messages) {
    if (message.begin >= now) continue;
    if (message.bandwidth == 0) return longest_wait_;
    const double two_trains = room(message.bandwidth);
    const double last = std::fmod(message.bytes, two_trains / 2);
    const double left = message.comm ? message.comm->get_remaining() : message.bytes;
    wait += (left > last ? left - last : left) / message.bandwidth;
    most = std::max(most, two_trains / message.bandwidth);
  }
  return std::min(wait, most);
}

Seconds WireQueues::wait(const simgrid::s4u::Host* from, const simgrid::s4u::Host* to) const {
  const auto found = leaving_.find(from);
  if (found == leaving_.end()) return 0;
  Seconds wait = 0;
  for (const Connection& connection : found->second)
    if (connection.to != to) wait += wait_behind(connection);
  return wait;
}

}  // namespace tandem
