#include "real/calibrate/compute_loss.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/base/median.h"
#include "real/calibrate/gradients.h"
#include "real/calibrate/other_rank.h"
#include "real/calibrate/timing_worker.h"
#include "real/calibrate/training_times.h"

namespace tandem::mpi {
namespace {

constexpr int kMostPairs = 8, kFewestPairs = 2;
constexpr Seconds kBudget = 30;       ///< of all pairs; the fewest may take longer
constexpr int kSettled = 1;           ///< iterations after which one is like the others
constexpr Seconds kBlockTime = 0.25;  ///< at least, of iterations one after the other

/// Both ranks come out with the same number.
double largest_of_two(Worker& worker, double value) {
  return std::max(value, swap_with_other(worker, value));
}

/// What a training calls before each kernel: it lets blocks of iterations begin on both ranks at
/// once, and has an all-reduce in flight through every other block.
class Blocks {
 public:
  Blocks(Worker& worker, const Load& load, int iterations)
      : worker_(worker),
        load_(load),
        iterations_(iterations),
        gradients_(worker, load.gradient_bytes, load.bytes) {
    gradients_.touch();
  }

  void before(const Kernel& kernel) {
    if (kernel.phase == Phase::kInput && iteration_++ % iterations_ == 0) {
      end();
      begin();
    }
    if (is_loaded_) keep_going();
    Kernel nothing = kernel;
    // What is in flight goes on beside the kernel from here on, which it does for one with a body.
    nothing.body = [] {};
    worker_.compute(nothing);
  }

  /// After the last of them.
  void end() {
    if (!has_begun_) return;
    const Seconds took = worker_.now() - begin_;
    if (!is_loaded_) {
      without_ = took;
      return;
    }
    // Half of the last one, in the mean, where it is not done yet.
    const double reduced = has_ended() ? reduced_ : reduced_ - 0.5;
    drain();
    losses_.push_back((took - without_) / (reduced * load_.seconds));
  }

  double loss() const { return losses_.empty() ? 0 : median(losses_); }

 private:
  void begin() {
    is_loaded_ = has_begun_ && !is_loaded_;
    has_begun_ = true;
    reduced_ = 0;
    largest_of_two(worker_, 0);  // both are there
    begin_ = worker_.now();
  }

  void keep_going() {
    if (has_ended()) start();
  }

  /// Whether none is in flight.
  bool has_ended() { return in_flight_.empty() || worker_.wait_any({&in_flight_, 1}, 0); }

  void start() {
    in_flight_ = gradients_.start(load_.bytes);
    ++reduced_;
  }

  /// Whoever has begun fewer makes up for it.
  void drain() {
    const auto most = static_cast<int>(largest_of_two(worker_, reduced_));
    for (; reduced_ < most; start()) finish();
    finish();
  }

  void finish() {
    if (!in_flight_.empty()) worker_.wait(in_flight_);
  }

  Worker& worker_;
  Load load_;
  int iterations_;
  Gradients gradients_;
  Handle in_flight_;
  int iteration_ = 0;
  int reduced_ = 0;
  bool has_begun_ = false, is_loaded_ = false;
  Seconds begin_ = 0, without_ = 0;
  std::vector<double> losses_;
};

Seconds iteration_time(Experiment& experiment) {
  TimingWorker worker;
  experiment.iterations = kSettled + 1;
  run_member(experiment, worker);
  const IterationRecord& last = worker.record().iterations().back();
  return last.end - last.begin;
}

}  // namespace

double measure_compute_loss(const Experiment& experiment, Worker& worker, const Load& load,
                            const std::function<void(double)>& progress) {
  Experiment single = by_itself(experiment);
  single.progress = {};
  const Seconds iteration = largest_of_two(worker, iteration_time(single));
  const int block = std::max(1, static_cast<int>(std::ceil(kBlockTime / iteration)));
  const int pairs =
      std::clamp(static_cast<int>(kBudget / (2 * block * iteration)), kFewestPairs, kMostPairs);
  single.iterations = 2 * pairs * block;
  single.progress = [&](int done, int total) { progress(static_cast<double>(done) / total); };
  Blocks blocks(worker, load, block);
  TimingWorker timed([&](const Kernel& kernel) { blocks.before(kernel); });
  run_member(single, timed);
  blocks.end();
  const double mine = blocks.loss();
  const double most = largest_of_two(worker, mine), least = -largest_of_two(worker, -mine);
  return std::max(0.0, (most + least) / 2);
}

}  // namespace tandem::mpi
