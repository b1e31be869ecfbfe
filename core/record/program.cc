#include "core/record/program.h"

#include <fmt/format.h>

#include <utility>

#include "core/comm/turns.h"

namespace tandem {
namespace {

/// A server that only passes on may wait for thousands of messages before it computes; then each of
/// thousands of others would need them all.
constexpr std::size_t kMostNeeds = 64;

std::string name_of(const Kernel& kernel) {
  const std::string_view phase = to_string(kernel.phase);
  return kernel.name == phase ? std::string(phase) : fmt::format("{}.{}", kernel.name, phase);
}

}  // namespace

std::uint32_t Program::append(Step step) {
  step.needs = frontier_;
  steps_.push_back(std::move(step));
  return static_cast<std::uint32_t>(steps_.size() - 1);
}

void Program::done(std::uint32_t step) {
  frontier_.push_back(step);
  if (frontier_.size() < kMostNeeds) return;
  const Seconds now = steps_[step].end;
  const std::uint32_t join = append({.name = "wait", .begin = now, .end = now});
  frontier_ = {join};
}

void Program::computed(const Kernel& kernel, Seconds begin, Seconds end) {
  const std::uint32_t step = append({.name = name_of(kernel),
                                     .begin = begin,
                                     .end = end,
                                     .flops = kernel.flops,
                                     .memory_bytes = kernel.bytes});
  frontier_ = {step};
}

void Program::asked(Step step, const Operation* operation) {
  const bool is_collective = step.kind == Step::Kind::kCollective;
  if (is_collective) step.follows = last_collective_;
  const std::uint32_t index = append(std::move(step));
  if (is_collective) last_collective_ = {index};
  if (operation == nullptr) {
    done(index);
  } else {
    in_flight_[operation] = index;
  }
}

void Program::asked_in_turn(Step step, const Operation* operation) {
  std::deque<std::uint32_t>& turns = turns_[step.peer];
  if (turns.size() == kTurnsTogether) {
    step.follows = {turns.front()};
    turns.pop_front();
  }
  turns.push_back(static_cast<std::uint32_t>(steps_.size()));
  asked(std::move(step), operation);
}

void Program::waited_for(const Operation* operation, int peer, Seconds now) {
  const auto found = in_flight_.find(operation);
  if (found == in_flight_.end()) return;
  Step& step = steps_[found->second];
  step.end = now;
  if (step.kind == Step::Kind::kReceive) step.peer = peer;
  done(found->second);
  in_flight_.erase(found);
}

}  // namespace tandem
