#include "core/faults/arrivals.h"

#include <cmath>

namespace tandem {
namespace {

constexpr std::uint64_t kStreams = 1ULL << 40;  // of random numbers, apart from those of ranks

}  // namespace

Arrivals::Arrivals(const TrafficSpec& traffic, std::uint64_t seed, std::size_t index)
    : every_(traffic.every),
      poisson_(traffic.poisson),
      random_(seed, kStreams + index),
      due_(traffic.window.from) {
  if (poisson_) due_ += gap();
}

Seconds Arrivals::next() {
  const Seconds due = due_;
  due_ += gap();
  return due;
}

Seconds Arrivals::gap() {
  return poisson_ ? -std::log(random_.open_uniform()) * every_ : every_;
}

}  // namespace tandem
