#include "core/record/recorder.h"

#include <algorithm>
#include <boost/container_hash/hash.hpp>
#include <utility>

#include "core/network/segments.h"

namespace tandem {
namespace {

Traffic difference(const Traffic& after, const Traffic& before) {
  return {.sent_bytes = after.sent_bytes - before.sent_bytes,
          .received_bytes = after.received_bytes - before.received_bytes,
          .sent_messages = after.sent_messages - before.sent_messages,
          .received_messages = after.received_messages - before.received_messages,
          .sent_packets = after.sent_packets - before.sent_packets,
          .received_packets = after.received_packets - before.received_packets};
}

}  // namespace

Traffic operator+(const Traffic& a, const Traffic& b) {
  return {.sent_bytes = a.sent_bytes + b.sent_bytes,
          .received_bytes = a.received_bytes + b.received_bytes,
          .sent_messages = a.sent_messages + b.sent_messages,
          .received_messages = a.received_messages + b.received_messages,
          .sent_packets = a.sent_packets + b.sent_packets,
          .received_packets = a.received_packets + b.received_packets};
}

Traffic sent_messages(std::uint64_t bytes, int count) {
  const auto messages = static_cast<std::uint64_t>(count);
  return {.sent_bytes = messages * bytes,
          .sent_messages = messages,
          .sent_packets = messages * segments(bytes)};
}

Traffic received_messages(std::uint64_t bytes, int count) {
  const auto messages = static_cast<std::uint64_t>(count);
  return {.received_bytes = messages * bytes,
          .received_messages = messages,
          .received_packets = messages * segments(bytes)};
}

std::uint64_t message_mark(int source, int destination, int tag, std::uint64_t number) {
  std::size_t mark = 0;
  boost::hash_combine(mark, source);
  boost::hash_combine(mark, destination);
  boost::hash_combine(mark, tag);
  boost::hash_combine(mark, number);
  return (mark & 0xffff'ffff'ffffU) | 1;  // viewers' numbers are doubles
}

Inheritance with_iterations(Inheritance before, const std::vector<IterationRecord>& iterations,
                            double samples) {
  before.iterations += static_cast<int>(iterations.size());
  for (const IterationRecord& one : iterations) before.time += one.end - one.begin;
  before.samples += static_cast<std::uint64_t>(static_cast<double>(iterations.size()) * samples);
  return before;
}

void Recorder::resume(RecordedPast past) {
  std::lock_guard lock(mutex_);
  inherited_ = past.inherited;
  iterations_ = std::move(past.iterations);
  evaluations_ = std::move(past.evaluations);
  traffic_ = traffic_at_begin_ = past.traffic;
  staleness_.clear();
  for (const StaleUpdates& one : past.staleness)
    staleness_[static_cast<int>(one.staleness)] = one.updates;
  traced_.first = std::max(traced_.first, iteration());
}

RecordedPast Recorder::past() const {
  std::lock_guard lock(mutex_);
  RecordedPast past{inherited_, iterations_, evaluations_, traffic_, {}};
  for (const auto& [staleness, updates] : staleness_)
    past.staleness.push_back({staleness, updates});
  return past;
}

void Recorder::evaluated(const Evaluation& evaluation) {
  std::lock_guard lock(mutex_);
  evaluations_.push_back(evaluation);
}

void Recorder::begin_iteration(Seconds now) {
  std::lock_guard lock(mutex_);
  in_iteration_ = true;
  current_ = IterationRecord{};
  current_.begin = now;
  traffic_at_begin_ = traffic_;
}

void Recorder::end_iteration(Seconds now, std::optional<double> loss) {
  std::lock_guard lock(mutex_);
  current_.end = now;
  current_.loss = loss;
  current_.traffic = difference(traffic_, traffic_at_begin_);
  if (const auto own = ahead_.extract(iteration()))
    current_.traffic = current_.traffic + own.mapped();
  iterations_.push_back(current_);
  in_iteration_ = false;
}

int Recorder::position() const {
  std::lock_guard lock(mutex_);
  return position_;
}

Task Recorder::begin_task(Task::Kind kind, std::uint64_t cause) {
  std::lock_guard lock(mutex_);
  return std::exchange(task_, {kind, ++tasks_, cause});
}

void Recorder::resume_task(const Task& task) {
  std::lock_guard lock(mutex_);
  task_ = task;
}

Turn Recorder::ask_for_turn(int priority) {
  std::lock_guard lock(mutex_);
  return {position_, priority, posted_++, task_};
}

Posted Recorder::posted() {
  std::lock_guard lock(mutex_);
  return {position_, posted_++, task_, std::exchange(turn_, {})};
}

void Recorder::computed(Phase phase, std::string_view name, Seconds begin, Seconds end) {
  std::lock_guard lock(mutex_);
  const int position = position_++;
  if (!in_iteration_) return;
  current_.compute += end - begin;
  if (phase == Phase::kInput) current_.input += end - begin;
  if (!tracing()) return;
  spans_.push_back({.lane = Lane::kCompute,
                    .name = std::string(name),
                    .begin = begin,
                    .end = end,
                    .iteration = iteration(),
                    .phase = to_string(phase),
                    .position = position,
                    .task = task_});
}

// One that ends at once is kept too: in a slower network it would not.
void Recorder::waited(Seconds begin, Seconds end, std::uint64_t message) {
  std::lock_guard lock(mutex_);
  const int position = position_++;
  if (!in_iteration_) return;
  current_.exposed += end - begin;
  constexpr Seconds kRounding = 1e-12;  // of a simulated clock
  if (!tracing() || (end - begin <= kRounding && message == 0)) return;
  spans_.push_back({.lane = Lane::kWait,
                    .name = "wait",
                    .begin = begin,
                    .end = end,
                    .iteration = iteration(),
                    .position = position,
                    .message = message,
                    .task = task_});
}

void Recorder::sent(std::uint64_t bytes, int count) {
  transferred(sent_messages(bytes, count));
}

void Recorder::received(std::uint64_t bytes, int count) {
  transferred(received_messages(bytes, count));
}

void Recorder::transferred(const Traffic& traffic) {
  std::lock_guard lock(mutex_);
  traffic_ = traffic_ + traffic;
}

void Recorder::belongs_to(int iteration, const Traffic& traffic) {
  std::lock_guard lock(mutex_);
  if (in_iteration_) traffic_at_begin_ = traffic_at_begin_ + traffic;
  const int recorded = iteration - inherited_.iterations;
  if (recorded < 0) return;
  const bool has_ended = static_cast<std::size_t>(recorded) < iterations_.size();
  Traffic& whole = has_ended ? iterations_[recorded].traffic : ahead_[iteration];
  whole = whole + traffic;
}

void Recorder::communicated(std::string_view name, Seconds begin, Seconds end, std::uint64_t bytes,
                            int peer, const MessageMark& mark) {
  if (!traces()) return;
  std::lock_guard lock(mutex_);
  const int posted = mark.iteration >= 0 ? mark.iteration : iteration();
  if (!traced_.contains(posted)) return;
  spans_.push_back({.lane = Lane::kCommunication,
                    .name = std::string(name),
                    .begin = begin,
                    .end = end,
                    .bytes = bytes,
                    .peer = peer,
                    .iteration = posted,
                    .position = mark.position,
                    .order = mark.order,
                    .message = mark.id,
                    .time = mark.time,
                    .unasked = mark.unasked,
                    .tag = mark.tag,
                    .from_any = mark.from_any,
                    .task = mark.task,
                    .turn = mark.turn,
                    .round = mark.round});
}

void Recorder::staleness(int updates) {
  std::lock_guard lock(mutex_);
  ++staleness_[updates];
}

Traffic Recorder::traffic() const {
  std::lock_guard lock(mutex_);
  return traffic_;
}

}  // namespace tandem
