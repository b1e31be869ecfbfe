#include "core/record/point_result.h"

#include <fmt/format.h>

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "core/base/atomic_file.h"
#include "core/base/error.h"
#include "core/base/json_file.h"
#include "core/record/json_number.h"

namespace tandem {
namespace {

using nlohmann::json;

// Rows of figures rather than objects with names: there are many of them, and only this file reads
// them.
json traffic_row(const Traffic& t) {
  return {t.sent_bytes,        t.received_bytes, t.sent_messages,
          t.received_messages, t.sent_packets,   t.received_packets};
}

Traffic traffic_from(const json& row) {
  return {row[0], row[1], row[2], row[3], row[4], row[5]};
}

json iteration_row(const IterationRecord& i) {
  return {i.begin, i.end, i.compute, i.exposed, json_number(i.loss), traffic_row(i.traffic),
          i.input};
}

IterationRecord iteration_from(const json& row) {
  return {row[0], row[1], row[2], row[3], number_from(row[4]), traffic_from(row[5]), row[6]};
}

json evaluation_row(const Evaluation& e) {
  return {e.iteration, e.time, e.samples, e.accuracy, e.inherited_bytes};
}

Evaluation evaluation_from(const json& row) {
  return {row[0], row[1], row[2], row[3], row[4]};
}

json clock_row(const ClockFit& c) {
  return {c.ahead, c.drift, c.uncertainty};
}

ClockFit clock_from(const json& row) {
  return {row[0], row[1], row[2]};
}

/// Spans are the bulk of a result, so they go as they lie in memory, and their words once: who
/// reads them runs on the same kind of machine. All its bytes are written: the same spans are the
/// same bytes.
struct PackedSpan {
  std::int32_t lane, name, peer, iteration, phase, position, tag;
  std::uint16_t unasked, from_any;
  std::int64_t order;
  std::uint64_t bytes, message;
  double begin, end;
  MessageTime time;
  Task task;
  Turn turn;
  CollectiveRound round;
};
static_assert(std::is_trivially_copyable_v<PackedSpan>);
static_assert(std::has_unique_object_representations_v<Task> &&
                  std::has_unique_object_representations_v<Turn> &&
                  std::has_unique_object_representations_v<CollectiveRound> &&
                  sizeof(PackedSpan) == 8 * sizeof(std::int32_t) + 3 * sizeof(std::uint64_t) +
                                            (2 + 4) * sizeof(double) + sizeof(Task) + sizeof(Turn) +
                                            sizeof(CollectiveRound),
              "padding would hold what happened to be in memory");

json spans_object(const std::vector<Span>& spans) {
  std::vector<std::string> words;
  std::map<std::string, int> numbers;
  const auto number_of = [&](const std::string& word) {
    const auto [known, is_new] = numbers.try_emplace(word, static_cast<int>(words.size()));
    if (is_new) words.push_back(word);
    return known->second;
  };
  json::binary_t packed;
  packed.resize(spans.size() * sizeof(PackedSpan));
  for (std::size_t i = 0; i < spans.size(); ++i) {
    const Span& s = spans[i];
    const PackedSpan row{.lane = static_cast<int>(s.lane),
                         .name = number_of(s.name),
                         .peer = s.peer,
                         .iteration = s.iteration,
                         .phase = number_of(s.phase),
                         .position = s.position,
                         .tag = s.tag,
                         .unasked = s.unasked,
                         .from_any = s.from_any,
                         .order = s.order,
                         .bytes = s.bytes,
                         .message = s.message,
                         .begin = s.begin,
                         .end = s.end,
                         .time = s.time,
                         .task = s.task,
                         .turn = s.turn,
                         .round = s.round};
    std::memcpy(packed.data() + i * sizeof row, &row, sizeof row);
  }
  return {{"words", std::move(words)}, {"rows", std::move(packed)}};
}

std::vector<Span> spans_from(const json& object) {
  const auto words = object.at("words").get<std::vector<std::string>>();
  const json::binary_t& packed = object.at("rows").get_binary();
  std::vector<Span> spans;
  for (std::size_t at = 0; at + sizeof(PackedSpan) <= packed.size(); at += sizeof(PackedSpan)) {
    PackedSpan row{};
    std::memcpy(&row, packed.data() + at, sizeof row);
    spans.push_back({.lane = static_cast<Lane>(row.lane),
                     .name = words.at(row.name),
                     .begin = row.begin,
                     .end = row.end,
                     .bytes = row.bytes,
                     .peer = row.peer,
                     .iteration = row.iteration,
                     .phase = words.at(row.phase),
                     .position = row.position,
                     .order = row.order,
                     .message = row.message,
                     .time = row.time,
                     .unasked = row.unasked != 0,
                     .tag = row.tag,
                     .from_any = row.from_any != 0,
                     .task = row.task,
                     .turn = row.turn,
                     .round = row.round});
  }
  return spans;
}

json step_row(const Step& s) {
  return {static_cast<int>(s.kind),
          s.name,
          s.begin,
          s.end,
          s.flops,
          s.memory_bytes,
          s.bytes,
          s.peer,
          s.tag,
          s.ranks,
          s.sent_bytes,
          s.received_bytes,
          s.needs,
          s.follows};
}

Step step_from(const json& row) {
  return {static_cast<Step::Kind>(row[0].get<int>()),
          row[1],
          row[2],
          row[3],
          row[4],
          row[5],
          row[6],
          row[7],
          row[8],
          row[9],
          row[10],
          row[11],
          row[12],
          row[13]};
}

template <typename Item, typename Row>
json rows(const std::vector<Item>& items, const Row& row) {
  json array = json::array();
  for (const Item& item : items) array.push_back(row(item));
  return array;
}

MemberResult member_from(const json& source) {
  MemberResult member;
  member.rank = source.at("rank");
  member.count = source.at("count");
  member.is_server = source.at("is_server");
  for (const json& row : source.at("iterations")) member.iterations.push_back(iteration_from(row));
  member.first_iteration = source.at("first_iteration");
  member.sent_bytes_before = source.at("sent_bytes_before");
  member.spans = spans_from(source.at("spans"));
  for (const json& row : source.at("program")) member.program.push_back(step_from(row));
  member.traffic = traffic_from(source.at("traffic"));
  member.weights_hash = source.at("weights_hash");
  if (const json& skipped = source.at("skipped_steps"); !skipped.is_null())
    member.skipped_steps = skipped.get<int>();
  member.staleness = source.at("staleness");
  for (const json& row : source.at("evaluations")) {
    member.evaluations.push_back(evaluation_from(row));
  }
  member.peak_memory_bytes = source.at("peak_memory_bytes");
  member.held_peak_bytes = source.at("held_peak_bytes");
  member.process_peak_bytes = source.at("process_peak_bytes");
  member.clock = clock_from(source.at("clock"));
  member.warnings = source.at("warnings");
  return member;
}

// CBOR (RFC 8949) is read and written several times as fast as text.
std::string cbor(const json& value) {
  std::string bytes;
  json::to_cbor(value, bytes);
  return bytes;
}

}  // namespace

json to_json(const MemberResult& member) {
  return {{"rank", member.rank},
          {"count", member.count},
          {"is_server", member.is_server},
          {"iterations", rows(member.iterations, iteration_row)},
          {"first_iteration", member.first_iteration},
          {"sent_bytes_before", member.sent_bytes_before},
          {"spans", spans_object(member.spans)},
          {"program", rows(member.program, step_row)},
          {"traffic", traffic_row(member.traffic)},
          {"weights_hash", member.weights_hash},
          {"skipped_steps", json_number(member.skipped_steps)},
          {"staleness", member.staleness},
          {"evaluations", rows(member.evaluations, evaluation_row)},
          {"peak_memory_bytes", member.peak_memory_bytes},
          {"held_peak_bytes", member.held_peak_bytes},
          {"process_peak_bytes", member.process_peak_bytes},
          {"clock", clock_row(member.clock)},
          {"warnings", member.warnings}};
}

std::string to_bytes(const MemberResult& member) {
  return cbor(to_json(member));
}

MemberResult member_from_bytes(const std::string& bytes) {
  return member_from(json::from_cbor(bytes));
}

void PointResult::save(const std::filesystem::path& file) const {
  json result = json::object();
  result["summary"] = to_json(summary);
  result["members"] = rows(members, [](const MemberResult& member) { return to_json(member); });
  result["environment"] = environment;
  if (!links.empty()) result["links"] = to_json(links);
  if (lost) result["lost"] = to_json(*lost);
  write_file_atomically(file, cbor(result));
}

PointResult PointResult::load(const std::filesystem::path& file, const Scenario& scenario) {
  try {
    const json source = json::from_cbor(read_file(file));
    PointResult result{
        scenario, summary_from_json(source.at("summary")), {}, source.at("environment")};
    if (source.contains("links")) result.links = link_usage_from_json(source["links"]);
    if (source.contains("lost")) result.lost = lost_times_from_json(source["lost"]);
    result.summary.variant = scenario.variant;  // which the point's own process doesn't know
    for (const json& member : source.at("members")) {
      result.members.push_back(member_from(member));
    }
    return result;
  } catch (const InputError& error) {
    throw RunError(error.what());
  } catch (const json::exception& error) {
    throw RunError(fmt::format("{}: is no result of a point: {}", file.string(), reason_of(error)));
  } catch (const std::exception& error) {
    throw RunError(fmt::format("{}: is no result of a point: {}", file.string(), error.what()));
  }
}

}  // namespace tandem
