#pragma once

#include <boost/icl/interval_map.hpp>
#include <boost/icl/interval_set.hpp>

#include "core/comm/buffer.h"
#include "real/cuda/engine.h"

namespace tandem::cuda {

/// A GPU's copy of a buffer's memory. Its memory there is taken when it is first used there. What
/// is stale on a side is fetched when it is asked for: the GPU computes with weights, gradients and
/// optimizer state that never leave it while nobody else needs them.
class CudaMirror final : public Mirror {
 public:
  /// Of host memory that must outlive it. Where it `waits`, its arithmetic has ended when it
  /// returns, so that it can be timed.
  CudaMirror(std::shared_ptr<Engine> engine, View host, bool waits = false);
  ~CudaMirror() override;

  /// The view's mirror where that is one; else null.
  static CudaMirror* of(const View& view);

  const std::shared_ptr<Engine>& engine() const { return engine_; }

  /// Where the bytes of the host are on the GPU: all of them, in the same order.
  std::byte* place(const std::byte* host);
  /// Makes the GPU's copy current in what is queued to compute from now on; the host may change its
  /// own once this returns. What computed with the copy until now must end before `last_read`, an
  /// event of the compute queue; null: before what is queued now.
  void fetch(const View& view, const Event* last_read = nullptr);
  /// Only the GPU's copy counts from now on, which is written to before `written`.
  void wrote(const View& view, std::shared_ptr<Event> written);

  /// What a collective on GPUs needs of a view. Who waits for that before any use of the view finds
  /// its result in the GPU's copy, which counts alone from now on.
  struct Lent {
    View view;                                    ///< the GPU's copy, in `block`
    Storage block;                                ///< of Engine::allocate_block()
    std::vector<std::shared_ptr<Event>> pending;  ///< of what wrote and read it

    /// Whether the collective may begin. Throws as Event::has_passed().
    bool is_ready();
  };
  /// Whether such a collective may be had of it: numbers, and enough of them, as hosts have added
  /// up few before a kernel begins.
  static bool can_lend(const View& view);
  Lent lend(const View& view);

  void settle(std::byte* data, std::size_t bytes, Access access) override;
  bool convert(const View& destination, const View& source, float scale) override;
  bool accumulate(const View& destination, const View& source, float scale) override;
  bool clear(const View& destination) override;
  bool add_squares(const View& sum, const View& numbers) override;
  bool measure(const ArenaUpdate& update) override;
  bool update(const ArenaUpdate& update) override;

 private:
  using Bytes = boost::icl::discrete_interval<std::size_t>;
  static Bytes interval(std::size_t first, std::size_t count) {
    return Bytes::right_open(first, first + count);
  }
  Bytes interval(const View& view) const;
  /// When what the GPU has newer is there. The map would combine two by +=.
  struct LastWrite {
    std::shared_ptr<Event> event;
    bool operator==(const LastWrite&) const = default;
    LastWrite& operator+=(const LastWrite& other) { return *this = other; }
  };

  void copy_to_host(const Bytes& bytes);
  /// Of what is queued by now.
  void wrote(const View& view);
  void was_read() { read_->record(*engine_, Queue::kCompute); }
  /// The view's mirror where the two are of one engine; else null.
  CudaMirror* beside(const View& view) const;
  /// Of what is queued next, which reads some views, and reads and writes others. Makes them
  /// current on the GPU; false where one can't be.
  struct Uses {
    std::vector<View> read, changed;
  };
  bool begin(const Uses& uses) const;
  /// Goes behind it.
  void end(const Uses& uses) const;
  void update_elements(const ArenaUpdate& update) const;
  void update_tensors(const ArenaUpdate& update) const;
  bool combine(const View& destination, const View& source, float scale, bool adds);

  std::shared_ptr<Engine> engine_;
  View host_;
  const Memory* owner_;  ///< of the host's, which owns this; null where nobody says
  bool waits_;
  Storage memory_;
  std::shared_ptr<void> pinned_;
  boost::icl::interval_set<std::size_t> stale_here_;  ///< on the GPU
  boost::icl::interval_map<std::size_t, LastWrite> stale_on_host_;
  std::shared_ptr<Event> read_;  ///< after its own arithmetic has read it
  std::unique_ptr<Event> copied_;
  std::shared_ptr<Event> written_;  ///< after this mirror's own arithmetic
  std::shared_ptr<Event> arrived_;  ///< has always passed: after what its member has waited for
};

}  // namespace tandem::cuda
