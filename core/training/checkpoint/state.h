#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "core/base/error.h"
#include "core/collectives/schedule.h"
#include "core/comm/buffer.h"

namespace tandem {

/// Who holds the numbers of an arena that has one for each of some parameters of the model.
enum class Holder {
  kAll,    ///< every worker, the same bits: each saves an equal part, and restores all
  kShard,  ///< this member, and perhaps others alike: whoever holds them later restores them
  kOwn,    ///< every worker its own floats; on other numbers of workers each restores their mean
};

/// Which parameters an arena is about, by their places in the model's arena: the chunks, one after
/// the other; of kOwn none need be named.
struct ArenaPlace {
  Holder holder = Holder::kAll;
  std::vector<Chunk> chunks = {};
  /// Of a shard that several members hold alike: which of them this is. Each saves an equal part.
  int copy = 0, copies = 1;
};

/// Walks the state of a training that a checkpoint keeps. Whoever has state names it in one
/// function, visit_state(), which saves it or restores it, as the visitor does; what is visited has
/// to be the same both times, and to be there still when all has been visited: a visitor that saves
/// writes it then.
class StateVisitor {
 public:
  virtual ~StateVisitor() = default;

  /// Host numbers that belong to parameters, as many as the place's chunks have. Different chunks
  /// may be visited under one name.
  virtual void arena(const std::string& name, const View& numbers, const ArenaPlace& place) = 0;

  /// Bytes of this member. One that wasn't there restores those of another member of its kind, so
  /// that they have to be the same on all, or to serve any. Throws RunError where the size differs.
  virtual void own(const std::string& name, std::span<std::byte> bytes) = 0;

  /// The same of any number of bytes: `fit` makes room for as many as it is told, and says where.
  virtual void own_sized(const std::string& name, std::size_t bytes,
                         const std::function<std::byte*(std::size_t bytes)>& fit) = 0;
};

/// A number, or a struct of numbers, as own().
template <typename T>
requires std::is_trivially_copyable_v<T>
void visit_value(StateVisitor& visitor, const std::string& name, T& value) {
  visitor.own(name, std::as_writable_bytes(std::span(&value, 1)));
}

/// Any number of them; restoring brings the vector to the size that was saved. Throws RunError
/// where that is no whole number of them.
template <typename T>
requires std::is_trivially_copyable_v<T>
void visit_vector(StateVisitor& visitor, const std::string& name, std::vector<T>& values) {
  visitor.own_sized(name, values.size() * sizeof(T), [&](std::size_t bytes) {
    if (bytes % sizeof(T) != 0)
      throw RunError("it has " + std::to_string(bytes) + " bytes of " + name +
                     ", which is no multiple of " + std::to_string(sizeof(T)));
    values.resize(bytes / sizeof(T));
    return reinterpret_cast<std::byte*>(values.data());
  });
}

/// A worker's own floats, as Holder::kOwn.
inline void visit_own(StateVisitor& visitor, const std::string& name, const View& view) {
  visitor.arena(name, view, {Holder::kOwn});
}

}  // namespace tandem
