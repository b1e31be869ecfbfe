#include "core/record/recorder.h"

namespace tandem {
namespace {

std::uint64_t segments(std::uint64_t bytes) {
  return (bytes + kSegmentBytes - 1) / kSegmentBytes;
}

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

bool Recorder::tracing() const {
  const int iteration = static_cast<int>(iterations_.size());
  return iteration >= first_traced_ && iteration < first_traced_ + traced_;
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
  iterations_.push_back(current_);
  in_iteration_ = false;
}

void Recorder::computed(Phase phase, std::string_view name, Seconds begin, Seconds end) {
  std::lock_guard lock(mutex_);
  if (!in_iteration_) return;
  current_.compute += end - begin;
  if (phase == Phase::kInput) current_.input += end - begin;
  if (tracing()) spans_.push_back({Lane::kCompute, std::string(name), begin, end});
}

void Recorder::waited(Seconds begin, Seconds end) {
  std::lock_guard lock(mutex_);
  if (!in_iteration_) return;
  current_.exposed += end - begin;
  constexpr Seconds kRounding = 1e-12;  // of a simulated clock
  if (tracing() && end - begin > kRounding) spans_.push_back({Lane::kWait, "wait", begin, end});
}

void Recorder::sent(std::uint64_t bytes, int count) {
  std::lock_guard lock(mutex_);
  traffic_.sent_bytes += count * bytes;
  traffic_.sent_messages += count;
  traffic_.sent_packets += count * segments(bytes);
}

void Recorder::received(std::uint64_t bytes, int count) {
  std::lock_guard lock(mutex_);
  traffic_.received_bytes += count * bytes;
  traffic_.received_messages += count;
  traffic_.received_packets += count * segments(bytes);
}

void Recorder::transferred(const Traffic& traffic) {
  std::lock_guard lock(mutex_);
  traffic_ = traffic_ + traffic;
}

void Recorder::communicated(std::string_view name, Seconds begin, Seconds end, std::uint64_t bytes,
                            int peer) {
  std::lock_guard lock(mutex_);
  if (tracing())
    spans_.push_back({Lane::kCommunication, std::string(name), begin, end, bytes, peer});
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
