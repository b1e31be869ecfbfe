#include "real/calibrate/message_times.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <thread>

#include "core/base/error.h"
#include "core/base/median.h"
#include "core/base/quantile.h"
#include "real/calibrate/gradients.h"
#include "real/calibrate/other_rank.h"

namespace tandem::mpi {
namespace {

constexpr std::size_t kLargestOneWay = 1UL << 20U;  ///< what more takes says no more of hosts
constexpr int kFewestRepeats = 2;                   ///< a round, as is the next
constexpr int kMostRepeats = 12;
constexpr int kFirst = 1;  ///< that are left out
// Links that let bursts through have recovered by then, of a lab's size at 30 Mbit/s and more:
// while they do, what a message waits for at its beginning costs nothing, and would not be seen.
// The thread stays awake meanwhile: what it takes to wake it differs from time to time by more than
// what a message takes.
constexpr Seconds kRest = 5e-3;
// As long as the shorter iterations, in which ranks wait for each other.
constexpr Seconds kSleep = 0.5e-3;

/// To send from and to receive into.
struct Views {
  View out, in;
};

Views halves(const Buffer& buffer) {
  const std::size_t half = buffer.view().elements / 2;
  return {buffer.view().slice(0, half), buffer.view().slice(half, half)};
}

/// Of what a message took either rank: who begins first waits longer for the other's, by as much as
/// his own has been on its way when the other begins.
Seconds mean_of_both(Worker& worker, Seconds own) {
  return (own + swap_with_other(worker, own)) / 2;
}

void stay_awake(const Worker& worker, Seconds time) {
  for (const Seconds end = worker.now() + time; worker.now() < end;) std::this_thread::yield();
}

/// A byte each way goes first, so that both begin at about the same time.
void begin_after_rest(Worker& worker, const Views& views) {
  stay_awake(worker, kRest);
  swap_with_other(worker, views.out.slice(0, 1), views.in.slice(0, 1));
}

/// `sent` becomes what rank 0's call to send took.
Seconds half_round_trip(Worker& worker, const Views& views, Seconds& sent) {
  begin_after_rest(worker, views);
  const Seconds begin = worker.now();
  if (worker.group().rank == 0) {
    Handle sending = worker.send(other_rank(worker), 0, views.out);
    sent = worker.now() - begin;
    worker.wait(sending);
    receive_from_other(worker, views.in);
  } else {
    receive_from_other(worker, views.in);
    send_to_other(worker, views.out);
  }
  return (worker.now() - begin) / 2;
}

/// One way to rank 1, who waits for so long that it sleeps. Rank 0 is awake, when the answer comes
/// too.
Seconds to_sleeper(Worker& worker, const Views& views) {
  Seconds ignored = 0;
  const Seconds back = half_round_trip(worker, views, ignored);
  if (worker.group().rank == 1) {
    receive_from_other(worker, views.in);
    send_to_other(worker, views.out);
    return back;
  }
  stay_awake(worker, kSleep);
  const Seconds begin = worker.now();
  send_to_other(worker, views.out);
  receive_from_other(worker, views.in);
  return std::max(back, worker.now() - begin - back);
}

/// Two to rank 1 that leave together, and a byte back. Then a rest of its own: large ones leave a
/// shaper's bucket empty, which the next message is not to find so.
Seconds pair(Worker& worker, const Views& views) {
  begin_after_rest(worker, views);
  const Seconds begin = worker.now();
  if (worker.group().rank == 0) {
    std::array sends{worker.send(other_rank(worker), 0, views.out),
                     worker.send(other_rank(worker), 0, views.out)};
    wait_all(worker, sends);
    receive_from_other(worker, views.in.slice(0, 1));
  } else {
    receive_from_other(worker, views.in);
    receive_from_other(worker, views.in);
    send_to_other(worker, views.out.slice(0, 1));
  }
  const Seconds took = worker.now() - begin;
  stay_awake(worker, 2 * took);
  return took;
}

Seconds exchange(Worker& worker, const Views& views) {
  begin_after_rest(worker, views);
  const Seconds begin = worker.now();
  swap_with_other(worker, views.out, views.in);
  return mean_of_both(worker, worker.now() - begin);
}

/// By what one took on rank 0.
int agree_on_repeats(Worker& worker, Seconds one, Seconds budget) {
  return static_cast<int>(
      agree_on(worker, std::clamp(static_cast<int>(budget / one), kFewestRepeats, kMostRepeats)));
}

/// What was measured of messages of a size.
class Sampled {
 public:
  explicit Sampled(std::size_t bytes) : bytes_(bytes) {}

  /// One round, which takes about `budget`. `kept` is called after each measurement that counts.
  void add(
      Worker& worker, Seconds budget, const std::function<Seconds(Worker&)>& measure,
      const std::function<void()>& kept = [] {}) {
    Seconds last = 0;
    for (int i = 0; i < kFirst; ++i) last = measure(worker);
    const int repeats = agree_on_repeats(worker, last, budget);
    for (int i = 0; i < repeats; ++i) {
      times_.push_back(measure(worker));
      kept();
    }
  }

  void add(Seconds time) { times_.push_back(time); }

  Seconds least() const { return std::ranges::min(times_); }

  MessageSample sample() {
    std::ranges::sort(times_);
    return {.bytes = bytes_,
            .seconds = median(times_),
            .low = quantile_of_sorted(times_, 0.25),
            .high = quantile_of_sorted(times_, 0.75)};
  }

 private:
  std::size_t bytes_;
  std::vector<Seconds> times_;
};

std::vector<Sampled> sampled(const std::vector<std::size_t>& sizes) {
  return {sizes.begin(), sizes.end()};
}

/// Calls `round` for each of so many sizes, and that so many times.
void in_rounds(int rounds, std::size_t sizes, const std::function<void(double share)>& progress,
               const std::function<void(std::size_t size)>& round) {
  const std::size_t all = rounds * sizes;
  for (std::size_t done = 0; done < all; ++done) {
    round(done % sizes);
    progress(static_cast<double>(done + 1) / static_cast<double>(all));
  }
}

/// Of the first `count`, or all there are.
std::vector<MessageSample> samples_of(std::vector<Sampled>& sizes, std::size_t count) {
  std::vector<MessageSample> samples;
  for (std::size_t i = 0; i < std::min(count, sizes.size()); ++i)
    samples.push_back(sizes[i].sample());
  return samples;
}

/// Powers of two, and in between where messages begin to ask and bursts end.
std::vector<std::size_t> message_sizes(std::size_t largest) {
  constexpr std::size_t kFirstBetween = 32UL << 10U, kLastBetween = 512UL << 10U;
  std::vector<std::size_t> sizes;
  for (std::size_t bytes = 1; bytes <= largest; bytes *= 2) {
    sizes.push_back(bytes);
    const std::size_t between = bytes + bytes / 2;
    if (bytes >= kFirstBetween && bytes <= kLastBetween && between <= largest)
      sizes.push_back(between);
  }
  return sizes;
}

}  // namespace

MessageTimes measure_messages(Worker& worker, const MessagePlan& plan,
                              const std::function<void(double)>& progress) {
  if (worker.group().rank > 1) return {};
  const std::size_t most = std::max(plan.largest, kLargestOneWay);
  const Buffer out = worker.allocate(most, DType::kByte);
  const Buffer in = worker.allocate(most, DType::kByte);
  const std::vector<std::size_t> sizes = message_sizes(plan.largest);
  const auto first_beyond = std::ranges::upper_bound(sizes, kLargestOneWay);
  std::vector<Sampled> one_way = sampled({sizes.begin(), first_beyond}), both = sampled(sizes);
  std::vector<Sampled> sending = sampled(
      {sizes.begin(), std::ranges::upper_bound(sizes, std::min(plan.eager_bytes, kLargestOneWay))});
  std::vector<Sampled> asleep =
      sampled({sizes.begin(), std::ranges::upper_bound(sizes, kSmallMessage)});
  std::vector<Sampled> pairs = sending;  // as large as those sent unasked, and none measured yet
  // As in training, whose first messages are large: the window of a connection is as wide as the
  // first packets of whole segments let it be.
  swap_with_other(worker, out.view().slice(0, kLargestOneWay), in.view().slice(0, kLargestOneWay));
  constexpr Seconds kBudget = 0.15;
  Seconds sent = 0;
  std::size_t count = sizes.size();  // that are measured, as the first round says
  std::size_t reached = 0;
  in_rounds(plan.rounds, sizes.size(), progress, [&](std::size_t i) {
    if (i >= count) return;
    const Views views{out.view().slice(0, sizes[i]), in.view().slice(0, sizes[i])};
    if (i < one_way.size())
      one_way[i].add(
          worker, kBudget, [&](Worker& timed) { return half_round_trip(timed, views, sent); },
          [&] {
            if (i < sending.size()) sending[i].add(sent);
          });
    if (plan.only_one_way) return;
    if (i < asleep.size())
      asleep[i].add(worker, kBudget, [&](Worker& timed) { return to_sleeper(timed, views); });
    if (i < pairs.size())
      pairs[i].add(worker, kBudget, [&](Worker& timed) { return pair(timed, views); });
    both[i].add(worker, kBudget, [&](Worker& timed) { return exchange(timed, views); });
    if (i < reached) return;
    reached = i + 1;
    if (agree_on(worker, both[i].least() >= plan.longest ? 1 : 0) == 1) count = reached;
  });
  if (worker.group().rank > 0) return {};
  MessageTimes found;
  found.one_way = samples_of(one_way, count);
  found.sending = samples_of(sending, count);
  if (plan.only_one_way) return found;
  found.exchange = samples_of(both, count);
  found.asleep = samples_of(asleep, count);
  found.pairs = samples_of(pairs, count);
  return found;
}

std::vector<MessageSample> measure_all_reduces(Worker& worker, std::size_t gradient_bytes,
                                               const std::function<void(double)>& progress) {
  constexpr std::size_t kSmallest = 256, kLargestReduced = 64UL << 20U;
  const Buffer bytes = worker.allocate(2, DType::kByte);
  const Views one = halves(bytes);
  Gradients gradients(worker, gradient_bytes, kLargestReduced);
  gradients.touch();
  std::vector<std::size_t> sizes;
  for (std::size_t size = kSmallest; size <= kLargestReduced; size *= 2) sizes.push_back(size);
  std::vector<Sampled> all = sampled(sizes);
  constexpr Seconds kBudget = 0.025;
  in_rounds(kRounds, sizes.size(), progress, [&](std::size_t i) {
    all[i].add(worker, kBudget, [&](Worker& timed) {
      swap_with_other(timed, one.out, one.in);  // so that both begin at about the same time
      const Seconds begin = timed.now();
      Handle sum = gradients.start(sizes[i]);
      timed.wait(sum);
      return timed.now() - begin;
    });
  });
  return samples_of(all, all.size());
}

void require_bandwidth(const MessageCosts& costs, const char* what) {
  if (costs.segments().empty() || costs.segments().back().seconds_per_byte > 0) return;
  throw RunError(fmt::format(
      "large {} took no longer than small ones, so no bandwidth fits them; calibrate on "
      "a machine that does nothing else",
      what));
}

NominalLink nominal_link(const MessageCosts& messages) {
  if (messages.segments().empty())
    throw RunError("too few messages were measured for a line to fit them; calibrate again");
  require_bandwidth(messages, "messages");
  return {.latency = messages.time(1),
          .bandwidth = 1 / messages.segments().back().seconds_per_byte};
}

}  // namespace tandem::mpi
