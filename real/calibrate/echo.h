#pragma once

#include <netinet/in.h>

#include <chrono>
#include <optional>
#include <stop_token>

#include "core/base/seconds.h"
#include "real/paced/pacer.h"

namespace tandem::mpi {

using Patience = std::chrono::milliseconds;

/// Connects a socket that does not block. Whether it was done in time: a firewall may drop what
/// asks for it, which the system alone does not give up for two minutes.
bool connect_in_time(int socket, const sockaddr_in& to, Patience patience);

/// Takes the first connection that comes, and sends back every byte that does, until the other side
/// closes it or `stop` asks for the end, however long nothing comes.
void answer(int listening, const std::stop_token& stop);

/// What one byte takes there and back. None where that is not there in time, or `stop` asks for the
/// end before.
std::optional<Seconds> round_trip(int connection, const Alarm& alarm, Patience patience,
                                  const std::stop_token& stop);

}  // namespace tandem::mpi
