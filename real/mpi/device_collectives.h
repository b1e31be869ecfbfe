#pragma once

#include <mpi.h>

#include <functional>
#include <memory>

#include "core/collectives/schedule.h"
#include "core/comm/buffer.h"
#include "real/mpi/shared/node.h"
#include "real/mpi/stepped_collective.h"

namespace tandem::mpi {

/// The device's side of a collective by messages between devices' memory.
class DeviceMessages {
 public:
  virtual ~DeviceMessages() = default;
  /// Goes before all else that a thread does for a collective, messages included.
  virtual void enter() = 0;
  /// What is sent, received and added to: the device's memory, whose mirror adds there.
  virtual View view() const = 0;
  /// More of it, for one collective at a time.
  virtual Buffer scratch(std::size_t elements, DType dtype) = 0;
  /// Arithmetic on these was asked for.
  virtual void asked() = 0;
  /// Whether it is done, and so is at first what the collective begins with. Throws RunError.
  virtual bool is_done() = 0;
};

/// A collective on devices: one of the two.
struct DeviceCollective {
  std::unique_ptr<SteppedCollective> stepped = nullptr;
  std::unique_ptr<DeviceMessages> messages = nullptr;
};

/// Collectives that devices do among the copies that they have of their members' memory
/// (core/comm/mirror.h), so that nothing goes through the hosts'.
class DeviceCollectives {
 public:
  virtual ~DeviceCollectives() = default;

  /// For the member's thread, as make(): whether it does this one, and not the host. `view` has a
  /// mirror. All who take part come to the same answer.
  virtual bool takes(const Schedule& schedule, const View& view) = 0;
  /// The collective, which begins with what the device last wrote to `view`, and after which only
  /// the device's copy counts. It outlives neither this nor the view.
  virtual DeviceCollective make(const Schedule& schedule, const View& view) = 0;
  /// The member gives up waiting: nothing may go on that would keep its memory from being freed.
  virtual void give_up() noexcept {}
  /// Lets go of what is others' too, who may then free it. No collective is in flight, of nobody.
  virtual void leave() {}
};

/// Makes a member's: collective over the ranks of `comm`, of whom all make some or none do. The
/// node outlives them. Throws InputError where these devices can't.
using MakeDeviceCollectives =
    std::function<std::unique_ptr<DeviceCollectives>(MPI_Comm comm, const Node& node)>;

}  // namespace tandem::mpi
