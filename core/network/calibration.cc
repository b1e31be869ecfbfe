#include "core/network/calibration.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/base/yaml_fields.h"

namespace tandem {
namespace {

MessageCosts::Segment read_segment(const std::string& file, const YAML::Node& node) {
  Fields fields(file, node);
  const MessageCosts::Segment segment{.bytes = fields.bytes("bytes"),
                                      .latency = fields.number("latency_s"),
                                      .seconds_per_byte = fields.time("seconds_per_byte"),
                                      .residual = fields.time("residual_percent", 0) / 100};
  fields.finish();
  return segment;
}

MessageCosts read_costs(const std::string& file, Fields& fields, const char* key) {
  std::vector<MessageCosts::Segment> segments;
  std::size_t before = 0;  // bytes
  for (const YAML::Node& node : fields.list(key)) {
    const MessageCosts::Segment segment = read_segment(file, node);
    if (!segments.empty() && segment.bytes <= before)
      fields.fail(node, fmt::format("'bytes' must grow from one line of {} to the next", key));
    before = segment.bytes;
    segments.push_back(segment);
  }
  return MessageCosts(std::move(segments));
}

std::vector<MessageSample> read_samples(const std::string& file,
                                        const std::vector<YAML::Node>& nodes) {
  std::vector<MessageSample> samples;
  for (const YAML::Node& node : nodes) {
    Fields fields(file, node);
    samples.push_back({.bytes = fields.bytes("bytes"),
                       .seconds = fields.positive("seconds"),
                       .low = fields.positive("low"),
                       .high = fields.positive("high")});
    fields.time("fitted", 0);
    fields.finish();
  }
  return samples;
}

Calibration read_calibration(const std::string& file, const YAML::Node& root) {
  Fields fields(file, root);
  Calibration calibration;
  calibration.source = fields.text("source");
  calibration.eager_bytes = fields.find("eager_bytes") ? fields.bytes("eager_bytes", 0) : 0;
  calibration.queued_bytes = fields.find("queued_bytes") ? fields.bytes("queued_bytes", 0) : 0;
  calibration.adding_bandwidth = fields.positive("adding_bytes_per_s", kForever);
  calibration.messages = read_costs(file, fields, "messages");
  calibration.in_memory = read_costs(file, fields, "in_memory");
  calibration.compute_lost = fields.time("compute_lost", 0);
  calibration.exchange = read_samples(file, fields.list("exchange"));
  calibration.one_way = read_samples(file, fields.list("one_way"));
  calibration.all_reduce = read_samples(file, fields.list("all_reduce"));
  fields.finish();
  return calibration;
}

std::string samples_text(const char* key, const std::vector<MessageSample>& samples,
                         const MessageCosts& costs) {
  if (samples.empty()) return "";
  std::string text = fmt::format("{}:\n", key);
  for (const MessageSample& sample : samples) {
    text += fmt::format(
        "  - {{bytes: {:>8}, seconds: {:.5e}, low: {:.5e}, high: {:.5e}, fitted: {:.5e}}}\n",
        sample.bytes, sample.seconds, sample.low, sample.high,
        std::max(0.0, costs.time(sample.bytes)));
  }
  return text;
}

std::string costs_text(const char* key, const MessageCosts& costs) {
  std::string text = fmt::format("{}:\n", key);
  for (const MessageCosts::Segment& segment : costs.segments())
    text += fmt::format(
        "  - {{bytes: {}, latency_s: {:.5e}, seconds_per_byte: {:.5e}, residual_percent: "
        "{:.2g}}}\n",
        segment.bytes, segment.latency, segment.seconds_per_byte, 100 * segment.residual);
  return text;
}

// Root mean square of relative errors. Small messages scatter by less on a machine at rest.
constexpr double kPoorFit = 0.5;

void add_poor_fits(const std::string& what, const MessageCosts& costs,
                   std::vector<std::string>& poor) {
  const std::vector<MessageCosts::Segment>& segments = costs.segments();
  for (std::size_t i = 0; i < segments.size(); ++i) {
    if (!(segments[i].residual > kPoorFit)) continue;
    std::vector<std::string> sizes;
    if (i > 0) sizes.push_back(fmt::format("more than {}", segments[i - 1].bytes));
    if (i + 1 < segments.size()) sizes.push_back(fmt::format("up to {}", segments[i].bytes));
    poor.push_back(fmt::format(
        "the fit of {}{} is {:.0f} % off what was measured, in the root mean square", what,
        sizes.empty() ? "" : fmt::format(" of {} bytes", fmt::join(sizes, " and ")),
        100 * segments[i].residual));
  }
}

std::string adding_text(double bandwidth) {
  if (!std::isfinite(bandwidth)) return "";  // adding is free, unless somebody says otherwise
  return fmt::format(
      "# What a collective receives is added up at this rate.\nadding_bytes_per_s: {:.5g}\n\n",
      bandwidth);
}

std::string in_memory_text(const Calibration& calibration) {
  if (!calibration.does_collectives_in_memory()) return "";
  return "\n# Workers of the host do collectives in its memory: an all-reduce takes two of them "
         "this.\n" +
         costs_text("in_memory", calibration.in_memory) +
         fmt::format(
             "\n# Of each second of that, what a worker loses of what it computes meanwhile.\n"
             "compute_lost: {:.4g}\n",
             calibration.compute_lost) +
         "\n# Medians and quartiles of such all-reduces.\n" +
         samples_text("all_reduce", calibration.all_reduce, calibration.in_memory);
}

}  // namespace

Calibration Calibration::load(const std::filesystem::path& file) {
  return read_yaml(file, read_calibration);
}

std::vector<std::string> Calibration::poor_fits() const {
  std::vector<std::string> poor;
  add_poor_fits("messages", messages, poor);
  add_poor_fits("all-reduces in a host's memory", in_memory, poor);
  return poor;
}

std::string Calibration::text() const {
  std::string text = fmt::format(
      "# What `tandem calibrate` measured between two workers, for simulations of their platform.\n"
      "source: {}\n\n"
      "# Messages of so many bytes, or of less, are sent unasked.\n"
      "eager_bytes: {}\n\n"
      "# Such messages of a host leave it one after the other up to so many bytes, as a connection "
      "may have in\n# its queue; larger ones share its wire.\n"
      "queued_bytes: {}\n\n"
      "{}"
      "# A message of so many bytes, or of less, takes latency_s + bytes * seconds_per_byte; the "
      "residual is the\n# root mean square of the relative errors of this fit.\n",
      yaml_text(source), eager_bytes, queued_bytes, adding_text(adding_bandwidth));
  text +=
      costs_text("messages", messages) +
      "\n# Medians and quartiles of messages both ways at once, each after a rest, and what the "
      "costs make of "
      "them.\n" +
      samples_text("exchange", exchange, messages) +
      "\n# The same of one way at a time, half the round trip: not fitted, to compare with.\n" +
      samples_text("one_way", one_way, messages) + in_memory_text(*this);
  return text;
}

}  // namespace tandem
