#include "real/calibrate/ping_pong.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "core/base/error.h"
#include "real/calibrate/median.h"

namespace tandem::mpi {
namespace {

constexpr std::size_t kLargest = 16UL << 20U;
constexpr double kBytesASize = 1e9;  ///< bounds the time of large messages
constexpr int kFewest = 20;
constexpr int kMost = 1000;

void send(Worker& worker, View view) {
  Handle sent = worker.send(1 - worker.group().rank, 0, view);
  worker.wait(sent);
}

void receive(Worker& worker, View view) {
  Handle received = worker.receive(1 - worker.group().rank, 0, view);
  worker.wait(received);
}

Seconds round_trip(Worker& worker, View view) {
  const Seconds begin = worker.now();
  if (worker.group().rank == 0) {
    send(worker, view);
    receive(worker, view);
  } else {
    receive(worker, view);
    send(worker, view);
  }
  return worker.now() - begin;
}

PingPongSample measure(Worker& worker, View view) {
  const int repeats =
      std::clamp(static_cast<int>(kBytesASize / static_cast<double>(view.bytes())), kFewest, kMost);
  std::vector<Seconds> times;
  for (int i = 0; i < repeats / 10; ++i) round_trip(worker, view);  // warm-up
  for (int i = 0; i < repeats; ++i) times.push_back(round_trip(worker, view) / 2);
  return {view.bytes(), median(times)};
}

}  // namespace

std::vector<PingPongSample> ping_pong(Worker& worker, const std::function<void(double)>& progress) {
  if (worker.group().rank > 1) return {};
  const Buffer buffer = worker.allocate(kLargest, DType::kByte);
  std::vector<PingPongSample> samples;
  for (std::size_t bytes = 1; bytes <= kLargest; bytes *= 2) {
    samples.push_back(measure(worker, buffer.view().slice(0, bytes)));
    progress(static_cast<double>(samples.size()) / std::bit_width(kLargest));
  }
  if (worker.group().rank == 1) samples.clear();
  return samples;
}

LinkFit fit_link(const std::vector<PingPongSample>& samples) {
  // Minimises sum of (a + b x - 1)^2 with a = latency / t, b x = bytes / (bandwidth t): the normal
  // equations of a straight line through (bytes, t), each point weighted by 1 / t^2.
  double w = 0, wx = 0, wxx = 0, wt = 0, wxt = 0;
  for (const PingPongSample& sample : samples) {
    const double weight = 1 / (sample.seconds * sample.seconds);
    const auto x = static_cast<double>(sample.bytes);
    w += weight;
    wx += weight * x;
    wxx += weight * x * x;
    wt += weight * sample.seconds;
    wxt += weight * x * sample.seconds;
  }
  double slope = (w * wxt - wx * wt) / (w * wxx - wx * wx);
  Seconds latency = (wt - slope * wx) / w;
  if (latency < 0) {  // the best line of those that begin at 0
    latency = 0;
    slope = wxt / wxx;
  }
  if (!(slope > 0)) {
    throw RunError(
        "large messages took no longer than small ones, so no bandwidth fits the ping-pong; "
        "calibrate on a machine that does nothing else");
  }
  LinkFit fit{.latency = latency, .bandwidth = 1 / slope};
  for (const PingPongSample& sample : samples) {
    const Seconds fitted = fit.latency + static_cast<double>(sample.bytes) / fit.bandwidth;
    fit.residual += std::pow(fitted / sample.seconds - 1, 2);
  }
  fit.residual = std::sqrt(fit.residual / static_cast<double>(samples.size()));
  return fit;
}

}  // namespace tandem::mpi
