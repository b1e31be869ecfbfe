#pragma once

#include <mpi.h>

#include <functional>
#include <memory>

#include "core/collectives/schedule.h"
#include "core/comm/buffer.h"
#include "real/mpi/shared/node.h"
#include "real/mpi/stepped_collective.h"

namespace tandem::mpi {

/// Collectives that devices do among the copies that they have of their members' memory
/// (core/comm/mirror.h), so that nothing goes through the hosts'.
class DeviceCollectives {
 public:
  virtual ~DeviceCollectives() = default;

  /// For the member's thread, as begin(): whether it does this one, and not the host. `view` has a
  /// mirror. All who take part come to the same answer.
  virtual bool takes(const Schedule& schedule, const View& view) = 0;
  /// The collective, which begins with what the device has in `view` once the kernels are done that
  /// are queued by now, and after which only the device's copy counts. It outlives neither this nor
  /// the view.
  virtual std::unique_ptr<SteppedCollective> make(const Schedule& schedule, const View& view) = 0;
  /// Lets go of others' memory, which these may then free. No collective is in flight.
  virtual void leave() {}
};

/// Makes a member's: collective over the ranks of `comm`, of whom all make some or none do. The
/// node outlives them. Throws InputError where these devices can't.
using MakeDeviceCollectives =
    std::function<std::unique_ptr<DeviceCollectives>(MPI_Comm comm, const Node& node)>;

}  // namespace tandem::mpi
