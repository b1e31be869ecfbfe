#include "core/network/calibration.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "core/base/median.h"
#include "core/base/yaml_fields.h"
#include "core/network/segments.h"

namespace tandem {
namespace {

// Older files have a latency below 0 where bytes pass at once.
MessageCosts::Segment read_segment(const std::string& file, const YAML::Node& node) {
  Fields fields(file, node);
  const std::size_t bytes = fields.bytes("bytes");
  const Seconds latency = fields.number("latency_s");
  const double seconds_per_byte = fields.not_negative("seconds_per_byte");
  const double at_once = fields.not_negative("at_once_bytes", 0);
  const MessageCosts::Segment segment{.bytes = bytes,
                                      .latency = latency - at_once * seconds_per_byte,
                                      .seconds_per_byte = seconds_per_byte,
                                      .residual = fields.not_negative("residual_percent", 0) / 100};
  if (segment.latency < 0 && segment.latency + static_cast<double>(bytes) * seconds_per_byte <= 0)
    fields.fail(node, fmt::format("messages of {} bytes would take no time, or less", bytes));
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
    const std::size_t before = samples.empty() ? 0 : samples.back().bytes;
    samples.push_back({.bytes = fields.bytes("bytes"),
                       .seconds = fields.positive("seconds"),
                       .low = fields.positive("low"),
                       .high = fields.positive("high")});
    const MessageSample& sample = samples.back();
    if (sample.seconds < sample.low || sample.seconds > sample.high)
      fields.fail(node,
                  "the median is not between the quartiles, 'low' and 'high'; calibrate again");
    if (sample.bytes <= before) fields.fail(node, "'bytes' must grow from one sample to the next");
    fields.not_negative("fitted", 0);
    fields.finish();
  }
  return samples;
}

/// Of what a connection sends together or has under way: 0 where nobody says.
std::size_t read_segments(Fields& fields, const char* key) {
  const YAML::Node node = fields.find(key);
  const std::size_t bytes = node ? fields.bytes(key, 0) : 0;
  if (bytes > 0 && bytes < kSegmentBytes)
    fields.fail(
        node, fmt::format("'{}' is a segment, {}, at least, or 0 where it is not known; calibrate "
                          "again",
                          key, kSegmentBytes));
  return bytes;
}

Calibration read_calibration(const std::string& file, const YAML::Node& root) {
  Fields fields(file, root);
  Calibration calibration;
  calibration.source = fields.text("source");
  calibration.eager_bytes = fields.find("eager_bytes") ? fields.bytes("eager_bytes", 0) : 0;
  calibration.train_bytes = read_segments(fields, "train_bytes");
  calibration.window_bytes = read_segments(fields, "window_bytes");
  // What nobody asks for any more.
  for (const char* of_older_versions : {"queued_bytes", "queue_wait_s"})
    fields.find(of_older_versions);
  calibration.adding_bandwidth = fields.positive("adding_bytes_per_s", kForever);
  calibration.messages = read_costs(file, fields, "messages");
  calibration.in_memory = read_costs(file, fields, "in_memory");
  calibration.compute_lost = fields.not_negative("compute_lost", 0);
  calibration.exchange = read_samples(file, fields.list("exchange"));
  calibration.one_way = read_samples(file, fields.list("one_way"));
  calibration.sending = read_samples(file, fields.list("sending"));
  calibration.one_way_sharing = read_samples(file, fields.list("one_way_sharing"));
  calibration.one_way_asleep = read_samples(file, fields.list("one_way_asleep"));
  calibration.pairs = read_samples(file, fields.list("pairs"));
  calibration.all_reduce = read_samples(file, fields.list("all_reduce"));
  fields.finish();
  return calibration;
}

/// Each beside what `costs`, if there are any, make of it.
std::string samples_text(const char* key, const std::vector<MessageSample>& samples,
                         const MessageCosts* costs = nullptr) {
  if (samples.empty()) return "";
  std::string text = fmt::format("{}:\n", key);
  for (const MessageSample& sample : samples) {
    text += fmt::format("  - {{bytes: {:>8}, seconds: {:.5e}, low: {:.5e}, high: {:.5e}",
                        sample.bytes, sample.seconds, sample.low, sample.high);
    if (costs != nullptr)
      text += fmt::format(", fitted: {:.5e}", std::max(0.0, costs->time(sample.bytes)));
    text += "}\n";
  }
  return text;
}

/// In percent.
std::string residual_text(const MessageCosts::Segment& segment) {
  return fmt::format("{:.2g}", 100 * segment.residual);
}

/// Of a line that meets the axis right of 0: where.
std::string at_once_text(const MessageCosts::Segment& segment) {
  if (segment.latency >= 0 || segment.seconds_per_byte == 0) return "";
  return fmt::format("at_once_bytes: {:.6g}, ", -segment.latency / segment.seconds_per_byte);
}

std::string costs_text(const char* key, const MessageCosts& costs) {
  std::string text = fmt::format("{}:\n", key);
  for (const MessageCosts::Segment& segment : costs.segments())
    text += fmt::format(
        "  - {{bytes: {}, latency_s: {:.5e}, seconds_per_byte: {:.5e}, {}residual_percent: {}}}\n",
        segment.bytes, std::max(0.0, segment.latency), segment.seconds_per_byte,
        at_once_text(segment), residual_text(segment));
  return text;
}

// Root mean square of relative errors. Small messages scatter by less on a machine at rest.
constexpr double kPoorFitPercent = 50;
// From quartile to quartile, and from a message to one of more bytes. Small messages between hosts
// that share two busy processors are seven times apart.
constexpr double kFarApart = 10;

void add_poor_fits(const std::string& what, const MessageCosts& costs,
                   std::vector<std::string>& doubts) {
  const std::vector<MessageCosts::Segment>& segments = costs.segments();
  for (std::size_t i = 0; i < segments.size(); ++i) {
    // As the file has it, so that who reads that doubts the same.
    if (!(std::stod(residual_text(segments[i])) > kPoorFitPercent)) continue;
    std::vector<std::string> sizes;
    if (i > 0) sizes.push_back(fmt::format("more than {}", segments[i - 1].bytes));
    if (i + 1 < segments.size()) sizes.push_back(fmt::format("up to {}", segments[i].bytes));
    doubts.push_back(fmt::format(
        "the fit of {}{} is {:.0f} % off what was measured, in the root mean square", what,
        sizes.empty() ? "" : fmt::format(" of {} bytes", fmt::join(sizes, " and ")),
        100 * segments[i].residual));
  }
}

void add_wide_spread(const std::string& what, const std::vector<MessageSample>& samples,
                     std::vector<std::string>& doubts) {
  const auto spread = [](const MessageSample& sample) { return sample.high / sample.low; };
  const auto is_wide = [&](const MessageSample& sample) { return spread(sample) > kFarApart; };
  const auto wide = std::ranges::count_if(samples, is_wide);
  if (wide == 0) return;
  const MessageSample& worst = *std::ranges::max_element(samples, {}, spread);
  doubts.push_back(fmt::format(
      "the quartiles of {} of {} sizes of {} are more than {:.0f} times apart, at the most those "
      "of {} bytes, {:.3g} s and {:.3g} s",
      wide, samples.size(), what, kFarApart, worst.bytes, worst.low, worst.high));
}

void add_falls(const std::string& what, const std::vector<MessageSample>& samples,
               std::vector<std::string>& doubts) {
  for (std::size_t i = 1; i < samples.size(); ++i)
    if (samples[i - 1].seconds > kFarApart * samples[i].seconds)
      doubts.push_back(fmt::format("{} of {} bytes took {:.3g} s, but those of {} bytes {:.3g} s",
                                   what, samples[i - 1].bytes, samples[i - 1].seconds,
                                   samples[i].bytes, samples[i].seconds));
}

std::vector<MessageSample> up_to(std::size_t bytes, const std::vector<MessageSample>& samples) {
  return {samples.begin(), std::ranges::upper_bound(samples, bytes, {}, &MessageSample::bytes)};
}

/// The one of so many bytes; null where there is none.
const MessageSample* sample_of(std::size_t bytes, const std::vector<MessageSample>& samples) {
  const auto found = std::ranges::find(samples, bytes, &MessageSample::bytes);
  return found == samples.end() ? nullptr : &*found;
}

/// The median of what `samples` took longer than those of `base` of as many bytes; at least 0.
Seconds longer_than(const std::vector<MessageSample>& base,
                    const std::vector<MessageSample>& samples) {
  std::vector<Seconds> longer;
  for (const MessageSample& sample : samples)
    if (const MessageSample* same = sample_of(sample.bytes, base))
      longer.push_back(sample.seconds - same->seconds);
  return longer.empty() ? 0 : std::max(0.0, median(std::move(longer)));
}

std::string doubts_text(const std::vector<std::string>& doubts) {
  std::string text;
  for (const std::string& doubt : doubts) text += fmt::format("# Doubtful: {}.\n", doubt);
  return text;
}

std::string adding_text(double bandwidth) {
  if (!std::isfinite(bandwidth)) return "";  // adding is free, unless somebody says otherwise
  return fmt::format(
      "# What a collective receives is added up at this rate.\nadding_bytes_per_s: {:.5g}\n\n",
      bandwidth);
}

/// With a comment on what they are; nothing where there are none.
std::string samples_text(const char* about, const char* key,
                         const std::vector<MessageSample>& samples) {
  return samples.empty() ? "" : fmt::format("\n# {}\n", about) + samples_text(key, samples);
}

std::string hosts_text(const Calibration& calibration) {
  return samples_text("What of one way keeps the sender busy; the rest keeps the receiver.",
                      "sending", calibration.sending) +
         samples_text("One way to a rank that sleeps: what these take longer takes to wake it.",
                      "one_way_asleep", calibration.one_way_asleep) +
         samples_text(
             "One way between two hosts that share a processor: what small ones take "
             "longer, a rank that waits keeps it\n# to look for its own messages; what bytes "
             "take longer, the ends don't copy at a time.",
             "one_way_sharing", calibration.one_way_sharing) +
         samples_text(
             "Two messages that leave together, until a byte comes back: what the second "
             "waits beyond a burst, it\n# waits for a shaper, which may be late.",
             "pairs", calibration.pairs);
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
         samples_text("all_reduce", calibration.all_reduce, &calibration.in_memory);
}

}  // namespace

Calibration Calibration::load(const std::filesystem::path& file) {
  return read_yaml(file, read_calibration);
}

BusyEnds Calibration::busy_up_to(std::size_t bytes) const {
  const std::vector<MessageSample> sent = up_to(bytes, sending);
  const std::vector<MessageSample> arrived = up_to(sent.empty() ? 0 : sent.back().bytes, one_way);
  if (sent.size() < 2 || arrived.size() < 2) {
    const Seconds latency = messages.latency(1) / 2;
    const double per_byte = messages.seconds_per_byte(1) / 2;
    return {latency, latency, per_byte, per_byte, per_byte};
  }
  const MessageCosts::Segment sender = line_through(sent), both = line_through(arrived);
  BusyEnds busy{
      .sender = sender.latency,
      .receiver = std::max(0.0, both.latency - sender.latency),
      .sender_per_byte = sender.seconds_per_byte,
      .receiver_per_byte = std::max(0.0, both.seconds_per_byte - sender.seconds_per_byte)};
  busy.sharing_receiver_per_byte = busy.receiver_per_byte;
  const std::vector<MessageSample> sharing = up_to(bytes, one_way_sharing);
  if (sharing.size() < 2) return busy;
  const std::vector<MessageSample> apart = up_to(sharing.back().bytes, arrived);
  if (apart.size() >= 2)
    busy.sharing_receiver_per_byte += std::max(
        0.0, line_through(sharing).seconds_per_byte - line_through(apart).seconds_per_byte);
  return busy;
}

std::vector<MessageSample> Calibration::samples_to_fit() const {
  std::vector<MessageSample> samples = up_to(eager_bytes, one_way);
  const std::size_t covered = samples.empty() ? 0 : samples.back().bytes;
  for (const MessageSample& sample : exchange)
    if (sample.bytes > covered) samples.push_back(sample);
  return samples;
}

Spread Calibration::spread_up_to(std::size_t bytes) const {
  std::vector<double> ratios;
  for (const MessageSample& sample : up_to(bytes, exchange))
    ratios.push_back(sample.high / sample.low);
  const double ratio = ratios.empty() ? 1 : median(std::move(ratios));
  return ratio > 1 ? Spread::log_normal_of_quartiles(ratio) : Spread();
}

Seconds Calibration::polling_slice() const {
  return longer_than(one_way, up_to(kSmallMessage, one_way_sharing));
}

Seconds Calibration::waking() const {
  return longer_than(one_way, up_to(kSmallMessage, one_way_asleep));
}

// The byte that comes back takes one way of its own.
Seconds Calibration::shaper_lateness(const NominalLink& link) const {
  const std::vector<MessageSample> at_once = up_to(static_cast<std::size_t>(link.burst), pairs);
  if (at_once.empty()) return 0;
  const MessageSample& pair = at_once.back();
  const double missing = 2 * static_cast<double>(pair.bytes) - link.burst;
  const MessageSample *there = sample_of(pair.bytes, one_way), *back = sample_of(1, one_way);
  if (missing <= 0 || there == nullptr || back == nullptr) return 0;
  return std::max(0.0, pair.seconds - there->seconds - back->seconds - missing / link.bandwidth);
}

std::vector<std::string> Calibration::doubts() const {
  constexpr const char* kMessages = "messages";
  constexpr const char* kAllReduces = "all-reduces in a host's memory";
  std::vector<std::string> doubts;
  add_wide_spread(kMessages, exchange, doubts);
  add_wide_spread("messages one way", one_way, doubts);
  add_wide_spread("calls that send messages", sending, doubts);
  add_wide_spread("messages one way on one processor", one_way_sharing, doubts);
  add_wide_spread("messages one way to a rank that sleeps", one_way_asleep, doubts);
  add_wide_spread("pairs of messages", pairs, doubts);
  add_wide_spread(kAllReduces, all_reduce, doubts);
  add_falls(kMessages, exchange, doubts);
  add_falls(kAllReduces, all_reduce, doubts);
  add_poor_fits(kMessages, messages, doubts);
  add_poor_fits(kAllReduces, in_memory, doubts);
  return doubts;
}

std::string Calibration::text() const {
  std::string text = fmt::format(
      "# What `tandem calibrate` measured between two workers, for simulations of their platform.\n"
      "{}"
      "source: {}\n\n"
      "# Messages of so many bytes, or of less, are sent unasked.\n"
      "eager_bytes: {}\n\n"
      "# A connection's packets leave in trains of so many bytes, and so many are on their way at "
      "most; 0: that\n# isn't known.\n"
      "train_bytes: {}\nwindow_bytes: {}\n\n"
      "{}"
      "# A message of so many bytes, or of less, takes latency_s + bytes * seconds_per_byte, where "
      "at_once_bytes\n# of them, if there are any, take no time; the residual is the root mean "
      "square of the relative errors of\n# this fit.\n",
      doubts_text(doubts()), yaml_text(source), eager_bytes, train_bytes, window_bytes,
      adding_text(adding_bandwidth));
  text +=
      costs_text("messages", messages) +
      "\n# Medians and quartiles of messages both ways at once, each after a rest, and what the "
      "costs make of\n# them: these are fitted to those that aren't sent unasked.\n" +
      samples_text("exchange", exchange, &messages) +
      "\n# The same of one way at a time, half the round trip: the costs of what is sent "
      "unasked.\n" +
      samples_text("one_way", one_way, &messages) + hosts_text(*this) + in_memory_text(*this);
  return text;
}

}  // namespace tandem
