#include "core/command/choices.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "core/base/error.h"
#include "core/base/nearest.h"
#include "core/collectives/all_reduce.h"
#include "core/scenario/algorithms.h"
#include "core/scenario/specs.h"

namespace tandem {
namespace {

/// A field of an algorithm that tuning knows of.
struct Knob {
  std::string key;
  bool asks = false;  ///< only where --allow names it
  /// The value that an algorithm has, as text.
  std::function<std::string(const AlgorithmSpec&)> text;
  std::function<std::vector<ChoiceValue>(const Scenario&)> values;
};

std::string bytes_text(std::size_t bytes) {
  if (bytes == std::numeric_limits<std::size_t>::max()) return "inf";
  if (bytes % 1'000'000 == 0) return bytes == 0 ? "0" : fmt::format("{} MB", bytes / 1'000'000);
  return fmt::format("{} B", bytes);
}

std::vector<ChoiceValue> buckets(const Scenario&) {
  std::vector<ChoiceValue> values;
  std::vector<std::size_t> sizes = {std::numeric_limits<std::size_t>::max()};
  for (const std::size_t megabytes : {1, 2, 4, 8, 16, 25, 50, 100})
    sizes.push_back(megabytes * 1'000'000);
  for (const std::size_t size : sizes)
    values.push_back({bytes_text(size), [size](AlgorithmSpec& a) { a.bucket_bytes = size; }});
  return values;
}

std::vector<ChoiceValue> collectives(const Scenario& scenario) {
  std::vector<std::string> names = all_reduce_names();
  names.emplace_back("auto");
  if (!scenario.algorithm.options.node_size) std::erase(names, "hierarchical");
  std::vector<ChoiceValue> values;
  for (const std::string& name : names)
    values.push_back({name, [name](AlgorithmSpec& a) { a.collective = name; }});
  return values;
}

/// Whole numbers of a field, doubling from the first to the last.
std::vector<ChoiceValue> doubling(int AlgorithmSpec::*field, int first, int last) {
  std::vector<ChoiceValue> values;
  for (int number = first; number <= last; number *= 2)
    values.push_back(
        {std::to_string(number), [field, number](AlgorithmSpec& a) { a.*field = number; }});
  return values;
}

std::vector<ChoiceValue> all_from_0(int AlgorithmSpec::*field, int last) {
  std::vector<ChoiceValue> values;
  for (int number = 0; number <= last; ++number)
    values.push_back(
        {std::to_string(number), [field, number](AlgorithmSpec& a) { a.*field = number; }});
  return values;
}

Knob number_knob(const std::string& key, bool asks, int AlgorithmSpec::*field,
                 const std::function<std::vector<ChoiceValue>(const Scenario&)>& values) {
  return {key, asks, [field](const AlgorithmSpec& a) { return std::to_string(a.*field); }, values};
}

Knob switch_knob(const std::string& key, bool AlgorithmSpec::*field) {
  const auto text = [field](const AlgorithmSpec& a) { return a.*field ? "true" : "false"; };
  const auto values = [field](const Scenario&) -> std::vector<ChoiceValue> {
    return {{"true", [field](AlgorithmSpec& a) { a.*field = true; }},
            {"false", [field](AlgorithmSpec& a) { a.*field = false; }}};
  };
  return {key, false, text, values};
}

std::vector<ChoiceValue> schedules(const Scenario&) {
  std::vector<ChoiceValue> values;
  for (const PipelineSchedule one : {PipelineSchedule::kOneFOneB, PipelineSchedule::kGPipe})
    values.push_back({to_string(one), [one](AlgorithmSpec& a) { a.schedule = one; }});
  return values;
}

std::vector<ChoiceValue> compressions(const Scenario&) {
  std::vector<ChoiceValue> values;
  for (const std::string name : {"none", "fp16", "bf16", "top_k", "power_sgd"})
    values.push_back({name, [name](AlgorithmSpec& a) { a.compression.name = name; }});
  return values;
}

/// Of a pipeline, those that divide its samples.
std::vector<ChoiceValue> micro_batches(const Scenario& scenario) {
  std::vector<ChoiceValue> values;
  const int samples = scenario.batch_size * scenario.stages();
  for (int number = 1; number <= std::min(samples, 8 * scenario.stages()); number *= 2) {
    if (samples % number != 0) continue;
    values.push_back(
        {std::to_string(number), [number](AlgorithmSpec& a) { a.micro_batches = number; }});
  }
  return values;
}

std::string micro_batches_text(const AlgorithmSpec& algorithm) {
  return algorithm.micro_batches ? std::to_string(*algorithm.micro_batches) : "as stages";
}

/// In the order in which they are tried.
const std::vector<Knob>& knobs() {
  using A = AlgorithmSpec;
  static const std::vector<Knob> kKnobs = {
      {"collective", false, [](const A& a) { return a.collective; }, collectives},
      number_knob("servers", false, &A::server_count,
                  [](const Scenario& scenario) {
                    return doubling(&A::server_count, 1, std::min(scenario.workers, 64));
                  }),
      switch_knob("overlap", &A::overlap),
      {"bucket", false, [](const A& a) { return bytes_text(a.bucket_bytes); }, buckets},
      number_knob("prefetch", false, &A::prefetch,
                  [](const Scenario&) { return all_from_0(&A::prefetch, 4); }),
      {"schedule", false, [](const A& a) { return std::string(to_string(a.schedule)); }, schedules},
      switch_knob("priority", &A::priority),
      switch_knob("early_pull", &A::early_pull),
      {"compression", true, [](const A& a) { return a.compression.name; }, compressions},
      number_knob("local_steps", true, &A::local_steps,
                  [](const Scenario&) { return doubling(&A::local_steps, 1, 64); }),
      number_knob("stage", true, &A::stage,
                  [](const Scenario&) { return all_from_0(&A::stage, 3); }),
      {"micro_batches", true, micro_batches_text, micro_batches}};
  return kKnobs;
}

std::size_t place_of(std::vector<ChoiceValue>& values, const std::string& text) {
  return static_cast<std::size_t>(std::ranges::find(values, text, &ChoiceValue::text) -
                                  values.begin());
}

Choice choice_of(const Knob& knob, const Scenario& scenario) {
  Choice choice{.key = knob.key, .values = knob.values(scenario)};
  const std::string own = knob.text(scenario.algorithm);
  std::erase_if(choice.values, [&](const ChoiceValue& value) { return value.text == own; });
  choice.values.insert(choice.values.begin(), {own, [](AlgorithmSpec&) {}});
  const std::size_t standard =
      place_of(choice.values, knob.text(standard_algorithm(scenario.algorithm.name)));
  choice.standard = standard < choice.values.size() ? standard : 0;
  return choice;
}

void check_allowed(const Scenario& scenario, const std::vector<std::string>& allowed) {
  std::vector<std::string> known;
  for (const Knob& knob : knobs())
    if (knob.asks && takes_key(scenario.algorithm, knob.key)) known.push_back(knob.key);
  for (const std::string& key : allowed) {
    if (std::ranges::count(known, key) > 0) continue;
    throw InputError(known.empty()
                         ? fmt::format("--allow {}: with algorithm {} there is nothing to allow",
                                       key, scenario.algorithm.name)
                         : fmt::format("--allow {}: algorithm {} has {} to allow{}", key,
                                       scenario.algorithm.name, fmt::join(known, ", "),
                                       suggestion(key, known)));
  }
}

}  // namespace

std::vector<Choice> choices_of(const Scenario& scenario, const std::vector<std::string>& allowed) {
  check_allowed(scenario, allowed);
  std::vector<Choice> choices;
  for (const Knob& knob : knobs()) {
    if (!takes_key(scenario.algorithm, knob.key)) continue;
    if (knob.asks && std::ranges::count(allowed, knob.key) == 0) continue;
    Choice choice = choice_of(knob, scenario);
    if (choice.values.size() > 1) choices.push_back(std::move(choice));
  }
  if (choices.empty())
    throw InputError(
        fmt::format("algorithm {} has nothing to tune; take another, such as ring or "
                    "parameter_server",
                    scenario.algorithm.name));
  return choices;
}

}  // namespace tandem
