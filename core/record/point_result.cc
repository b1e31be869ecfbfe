#include "core/record/point_result.h"

#include <fmt/format.h>

#include <fstream>

#include "core/base/atomic_file.h"
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
  return {e.iteration, e.time, e.accuracy};
}

Evaluation evaluation_from(const json& row) {
  return {row[0], row[1], row[2]};
}

json span_row(const Span& s) {
  return {static_cast<int>(s.lane), s.name, s.begin, s.end, s.bytes, s.peer};
}

Span span_from(const json& row) {
  return {static_cast<Lane>(row[0].get<int>()), row[1], row[2], row[3], row[4], row[5]};
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

}  // namespace

json to_json(const MemberResult& member) {
  return {{"rank", member.rank},
          {"count", member.count},
          {"is_server", member.is_server},
          {"iterations", rows(member.iterations, iteration_row)},
          {"spans", rows(member.spans, span_row)},
          {"program", rows(member.program, step_row)},
          {"traffic", traffic_row(member.traffic)},
          {"weights_hash", member.weights_hash},
          {"staleness", member.staleness},
          {"evaluations", rows(member.evaluations, evaluation_row)},
          {"peak_memory_bytes", member.peak_memory_bytes},
          {"held_peak_bytes", member.held_peak_bytes},
          {"process_peak_bytes", member.process_peak_bytes}};
}

MemberResult member_from_json(const json& source) {
  MemberResult member;
  member.rank = source.at("rank");
  member.count = source.at("count");
  member.is_server = source.at("is_server");
  for (const json& row : source.at("iterations")) member.iterations.push_back(iteration_from(row));
  for (const json& row : source.at("spans")) member.spans.push_back(span_from(row));
  for (const json& row : source.at("program")) member.program.push_back(step_from(row));
  member.traffic = traffic_from(source.at("traffic"));
  member.weights_hash = source.at("weights_hash");
  member.staleness = source.at("staleness");
  for (const json& row : source.at("evaluations")) {
    member.evaluations.push_back(evaluation_from(row));
  }
  member.peak_memory_bytes = source.at("peak_memory_bytes");
  member.held_peak_bytes = source.at("held_peak_bytes");
  member.process_peak_bytes = source.at("process_peak_bytes");
  return member;
}

void PointResult::save(const std::filesystem::path& file) const {
  json all = json::array();
  for (const MemberResult& member : members) all.push_back(to_json(member));
  const json result = {
      {"summary", to_json(summary)}, {"members", all}, {"environment", environment}};
  write_file_atomically(file, result.dump());
}

PointResult PointResult::load(const std::filesystem::path& file, const Scenario& scenario) {
  try {
    const json source = json::parse(std::ifstream(file));
    PointResult result{
        scenario, summary_from_json(source.at("summary")), {}, source.at("environment")};
    result.summary.variant = scenario.variant;  // which the point's own process doesn't know
    for (const json& member : source.at("members")) {
      result.members.push_back(member_from_json(member));
    }
    return result;
  } catch (const json::exception& error) {
    throw RunError(fmt::format("{}: is no result of a point: {}", file.string(), error.what()));
  }
}

}  // namespace tandem
