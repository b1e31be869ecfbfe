#pragma once

#include <cstddef>
#include <functional>
#include <memory>

namespace tandem {

struct ArenaUpdate;  // training/update_rules.h
struct View;

/// What is about to be done with memory.
enum class Access {
  kRead,
  kWrite,      ///< of parts, or after reading
  kOverwrite,  ///< of all of it
};

/// A device's own copy of a buffer's memory. Of each part the host's copy counts, or the device's,
/// or both are the same. The device computes in its copies and leaves the numbers there, until
/// somebody asks for them on the host: a kernel that the device can't do, a message, a checkpoint.
/// Used by its member's thread only.
class Mirror {
 public:
  virtual ~Mirror() = default;

  /// Makes the host's copy of these bytes count, and, but for reading, no other. Waits for the
  /// device where that has newer ones, which nobody needs who overwrites them.
  virtual void settle(std::byte* data, std::size_t bytes, Access access) = 0;

  /// These do on the device, in the same bits, what functions of their names in elementwise.h and
  /// Optimizer's measure() and step() do on the host; or nothing, and say false, where they can't:
  /// where a view has no copy there, or the rule is not known there.
  virtual bool convert(const View& destination, const View& source, float scale) = 0;
  virtual bool accumulate(const View& destination, const View& source, float scale) = 0;
  virtual bool clear(const View& destination) = 0;
  virtual bool add_squares(const View& sum, const View& numbers) = 0;
  virtual bool measure(const ArenaUpdate& update) = 0;
  virtual bool update(const ArenaUpdate& update) = 0;
};

/// Makes mirrors of the host memory that one member allocates.
using MakeMirror = std::function<std::shared_ptr<Mirror>(const View& host)>;

}  // namespace tandem
