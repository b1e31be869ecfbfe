#include "real/cuda/mirror.h"

#include <algorithm>

#include "core/training/update_elements.h"
#include "real/cuda/kernels/updates.h"
#include "real/cuda/with_type.h"

namespace tandem::cuda {
namespace {

constexpr std::size_t kLeastLent = 16 << 10;  ///< bytes

template <typename T>
T* on_gpu(const View& view) {
  return reinterpret_cast<T*>(CudaMirror::of(view)->place(view.data));
}

bool is_layer_wise(const ArenaUpdate& update) {
  return with_layer_wise_rule(update.spec, update.step, [](const auto&) {});
}

bool is_rounded(const ArenaUpdate& update) {
  return update.weights.dtype != DType::kFloat32;
}

std::vector<View> states_of(const ArenaUpdate& update) {
  std::vector<View> states;
  for (const View& state : update.state) {
    if (state.has_data()) states.push_back(state);
  }
  return states;
}

/// Where an update's arrays are on the GPU; null those that it has not.
template <typename T>
struct Places {
  float* whole;
  const T* gradient;
  std::array<float*, 2> state;
  T* rounded;
};

/// Calls `body(places, first, count)` for parts of its arrays that kernels can count the elements
/// of.
template <typename Body>
void for_each_part(const ArenaUpdate& update, const Body& body) {
  with_type(update.weights.dtype, [&](auto* type) {
    using T = Pointee<decltype(type)>;
    in_parts(update.weights.elements, [&](std::size_t first, int count) {
      const auto at = [&]<typename N>(const View& view, N*) {
        return CudaMirror::of(view) != nullptr ? on_gpu<N>(view) + first : nullptr;
      };
      float* const floats = nullptr;
      body(Places<T>{.whole = at(update.whole, floats),
                     .gradient = at(update.gradient, type),
                     .state = {at(update.state[0], floats), at(update.state[1], floats)},
                     .rounded = is_rounded(update) ? at(update.weights, type) : nullptr},
           first, count);
    });
  });
}

TensorStretches stretches_of(const TensorLengths& lengths, std::size_t first, int count) {
  const std::size_t rows = lengths.parts.bytes() / sizeof(TensorPart);
  return {on_gpu<TensorPart>(lengths.parts), static_cast<int>(rows),
          static_cast<std::int64_t>(lengths.offset + first), split_for_squares(count)};
}

}  // namespace

CudaMirror::CudaMirror(std::shared_ptr<Engine> engine, View host, bool waits)
    : engine_(std::move(engine)), host_(std::move(host)), owner_(host_.owner.get()), waits_(waits) {
  host_.owner = nullptr;  // which may own this
}

// What is freed may still be used by work in flight.
CudaMirror::~CudaMirror() {
  if (memory_) engine_->drain();
}

CudaMirror* CudaMirror::of(const View& view) {
  return dynamic_cast<CudaMirror*>(view.mirror);
}

std::byte* CudaMirror::place(const std::byte* host) {
  if (!memory_) {
    engine_->bind_thread();
    memory_ = host_.bytes() >= kLeastLent ? engine_->allocate_block(host_.bytes())
                                          : engine_->allocate(host_.bytes());
    read_ = engine_->make_event();
    copied_ = engine_->make_event();
    written_ = engine_->make_event();
    arrived_ = engine_->make_event();
    stale_here_ += interval(0, host_.bytes());
    // A page that is given back and taken anew would no longer be the one that the GPU copies to.
    if (owner_ != nullptr && owner_->keeps_its_pages())
      pinned_ = engine_->pin(host_.data, host_.bytes());
  }
  return memory_.get() + (host - host_.data);
}

CudaMirror::Bytes CudaMirror::interval(const View& view) const {
  return interval(static_cast<std::size_t>(view.data - host_.data), view.bytes());
}

void CudaMirror::fetch(const View& view, const Event* last_read) {
  place(view.data);
  const auto stale = stale_here_ & interval(view);
  if (stale.empty()) return;
  engine_->bind_thread();
  if (last_read == nullptr) {
    read_->record(*engine_, Queue::kCompute);
  } else {
    last_read->hold(*engine_, Queue::kUpload);
  }
  read_->hold(*engine_, Queue::kUpload);  // by this mirror's arithmetic, too
  for (const Bytes& bytes : stale) {
    engine_->copy_in(Queue::kUpload, memory_.get() + bytes.lower(), host_.data + bytes.lower(),
                     bytes.upper() - bytes.lower());
  }
  copied_->record(*engine_, Queue::kUpload);
  copied_->hold(*engine_, Queue::kCompute);
  copied_->wait();
  stale_here_ -= interval(view);
}

void CudaMirror::wrote(const View& view, std::shared_ptr<Event> written) {
  stale_here_ -= interval(view);
  stale_on_host_.set({interval(view), LastWrite{std::move(written)}});
}

bool CudaMirror::Lent::is_ready() {
  std::erase_if(pending, [](const auto& event) { return event->has_passed(); });
  return pending.empty();
}

bool CudaMirror::can_lend(const View& view) {
  return of(view) != nullptr && is_floating(view.dtype) && view.bytes() >= kLeastLent;
}

CudaMirror::Lent CudaMirror::lend(const View& view) {
  fetch(view);
  Lent lent{.view = {place(view.data), view.elements, view.dtype, MemorySpace::kCuda},
            .block = memory_,
            .pending = {read_}};
  for (const auto& [bytes, write] : stale_on_host_& interval(view))
    lent.pending.push_back(write.event);
  wrote(view, arrived_);
  return lent;
}

void CudaMirror::wrote(const View& view) {
  written_->record(*engine_, Queue::kCompute);
  read_->record(*engine_, Queue::kCompute);
  wrote(view, written_);
  if (waits_) written_->wait();
}

void CudaMirror::settle(std::byte* data, std::size_t bytes, Access access) {
  if (!memory_ || bytes == 0) return;
  const Bytes asked = interval(static_cast<std::size_t>(data - host_.data), bytes);
  if (access != Access::kOverwrite) copy_to_host(asked);
  stale_on_host_ -= asked;
  if (access != Access::kRead) stale_here_ += asked;
}

void CudaMirror::copy_to_host(const Bytes& asked) {
  const auto stale = stale_on_host_ & asked;
  if (stale.empty()) return;
  engine_->bind_thread();
  for (const auto& [bytes, written] : stale) {
    written.event->hold(*engine_, Queue::kDownload);
    engine_->copy_out(Queue::kDownload, host_.data + bytes.lower(), memory_.get() + bytes.lower(),
                      bytes.upper() - bytes.lower());
  }
  copied_->record(*engine_, Queue::kDownload);
  copied_->wait();
}

CudaMirror* CudaMirror::beside(const View& view) const {
  CudaMirror* other = of(view);
  return other != nullptr && other->engine_ == engine_ ? other : nullptr;
}

bool CudaMirror::combine(const View& destination, const View& source, float scale, bool adds) {
  CudaMirror* from = beside(source);
  if (from == nullptr || !is_floating(source.dtype) || !is_floating(destination.dtype))
    return false;
  place(destination.data);
  from->fetch(source);
  if (adds) fetch(destination);
  engine_->bind_thread();
  with_type(destination.dtype, [&](auto* to_type) {
    with_type(source.dtype, [&](auto* from_type) {
      using To = Pointee<decltype(to_type)>;
      using From = Pointee<decltype(from_type)>;
      in_parts(destination.elements, [&](std::size_t first, int count) {
        launch_update(*engine_, count,
                      Combine<To, From>{on_gpu<To>(destination) + first,
                                        on_gpu<From>(source) + first, scale, adds});
      });
    });
  });
  from->was_read();
  wrote(destination);
  return true;
}

bool CudaMirror::convert(const View& destination, const View& source, float scale) {
  return combine(destination, source, scale, false);
}

bool CudaMirror::accumulate(const View& destination, const View& source, float scale) {
  return combine(destination, source, scale, true);
}

bool CudaMirror::clear(const View& destination) {
  std::byte* data = place(destination.data);
  engine_->bind_thread();
  engine_->zero(data, destination.bytes());
  wrote(destination);
  return true;
}

bool CudaMirror::add_squares(const View& sum, const View& numbers) {
  CudaMirror* from = beside(numbers);
  if (from == nullptr || !is_floating(numbers.dtype)) return false;
  from->fetch(numbers);
  fetch(sum);
  engine_->bind_thread();
  auto* words = on_gpu<std::int64_t>(sum);
  with_type(numbers.dtype, [&](auto* type) {
    using T = Pointee<decltype(type)>;
    in_parts(numbers.elements, [&](std::size_t first, int count) {
      const Split stretches = split_for_squares(count);
      launch_update_groups(*engine_, stretches.chunks(),
                           AddSquares<T>{on_gpu<T>(numbers) + first, stretches, words});
      launch_update(*engine_, 1, CarrySums{words});
    });
  });
  from->was_read();
  wrote(sum);
  return true;
}

bool CudaMirror::begin(const Uses& uses) const {
  for (const auto* views : {&uses.read, &uses.changed}) {
    for (const View& view : *views) {
      if (beside(view) == nullptr) return false;
    }
  }
  for (const auto* views : {&uses.read, &uses.changed}) {
    for (const View& view : *views) of(view)->fetch(view);
  }
  engine_->bind_thread();
  return true;
}

void CudaMirror::end(const Uses& uses) const {
  for (const View& view : uses.read) of(view)->was_read();
  for (const View& view : uses.changed) of(view)->wrote(view);
}

bool CudaMirror::measure(const ArenaUpdate& update) {
  Uses uses{.read = {update.whole, update.gradient, update.lengths.parts},
            .changed = states_of(update)};
  uses.changed.push_back(update.lengths.sums);
  if (!is_layer_wise(update) || !begin(uses)) return false;
  auto* sums = on_gpu<std::int64_t>(update.lengths.sums);
  const auto sum_count = static_cast<int>(update.lengths.sums.elements / kSquareSumWords);
  for_each_part(update, [&]<typename T>(const Places<T>& part, std::size_t first, int count) {
    const TensorStretches stretches = stretches_of(update.lengths, first, count);
    with_layer_wise_rule(update.spec, update.step, [&]<typename Rule>(const Rule& rule) {
      launch_update_groups(
          *engine_, stretches.split.chunks(),
          MeasureTensors<Rule, T>{rule, stretches, part.whole, part.gradient, part.state[0],
                                  part.state[1], update.scale, sums});
    });
    launch_update(*engine_, sum_count, CarrySums{sums});
  });
  end(uses);
  return true;
}

bool CudaMirror::update(const ArenaUpdate& update) {
  const bool by_tensors = is_layer_wise(update);
  Uses uses{.read = {}, .changed = {update.whole}};
  if (by_tensors) {
    uses.read = states_of(update);
    uses.read.push_back(update.lengths.parts);
    uses.read.push_back(update.lengths.sums);
  } else {
    uses.read = {update.gradient};
    for (const View& state : states_of(update)) uses.changed.push_back(state);
  }
  if (!begin(uses)) return false;
  if (by_tensors) {
    update_tensors(update);
  } else {
    update_elements(update);
  }
  end(uses);
  if (is_rounded(update)) wrote(update.weights);
  return true;
}

void CudaMirror::update_elements(const ArenaUpdate& update) const {
  for_each_part(update, [&]<typename T>(const Places<T>& part, std::size_t, int count) {
    with_rule(update.spec, update.step, [&]<typename Rule>(const Rule& rule) {
      launch_update(*engine_, count,
                    Update<Rule, T>{rule, part.whole, part.gradient, part.state[0], part.state[1],
                                    part.rounded, update.scale});
    });
  });
}

void CudaMirror::update_tensors(const ArenaUpdate& update) const {
  const auto tensors = static_cast<int>(update.lengths.sums.elements / (2 * kSquareSumWords));
  auto* ratios = reinterpret_cast<float*>(engine_->scratch(tensors * sizeof(float)));
  launch_update(*engine_, tensors, TrustRatios{on_gpu<std::int64_t>(update.lengths.sums), ratios});
  for_each_part(update, [&]<typename T>(const Places<T>& part, std::size_t first, int count) {
    const TensorStretches stretches = stretches_of(update.lengths, first, count);
    with_layer_wise_rule(update.spec, update.step, [&]<typename Rule>(const Rule& rule) {
      launch_update_groups(*engine_, stretches.split.chunks(),
                           UpdateTensors<Rule, T>{rule, stretches, ratios, part.whole,
                                                  part.state[0], part.state[1], part.rounded});
    });
  });
}

}  // namespace tandem::cuda
