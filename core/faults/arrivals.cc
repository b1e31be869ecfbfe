#include "core/faults/arrivals.h"

#include <cmath>

namespace tandem {
namespace {

// Of random numbers, apart from those of ranks and of their neighbours (strategies/ad_psgd).
constexpr std::uint64_t kStreams = 1ULL << 41;

}  // namespace

Arrivals::Arrivals(const TrafficSpec& traffic, std::uint64_t seed, std::size_t index, Seconds since)
    : every_(traffic.every),
      poisson_(traffic.poisson),
      random_(seed, kStreams + index),
      due_(traffic.window.from) {
  if (poisson_) due_ += gap();
  while (due_ < since) due_ += gap();
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
