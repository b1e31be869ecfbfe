#include "core/interchange/chakra.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <protozero/pbf_writer.hpp>
#include <protozero/varint.hpp>

#include "core/base/atomic_file.h"

namespace tandem {
namespace {

using protozero::pbf_writer;

// The numbers of Chakra's schema, et_def.proto.
constexpr const char* kSchemaVersion = "1.0.0";
constexpr int kVersion = 1;  // of GlobalMetadata
enum NodeField {
  kId = 1,
  kName = 2,
  kType = 3,
  kControlDependencies = 4,
  kDataDependencies = 5,
  kStartMicroseconds = 6,
  kDurationMicroseconds = 7,
  kNodeAttribute = 10
};
enum NodeType { kComputeNode = 4, kSendNode = 5, kReceiveNode = 6, kCollectiveNode = 7 };
enum CollectiveType {
  kAllReduce = 0,
  kAllGather = 2,
  kBroadcast = 5,
  kAllToAll = 6,
  kReduceScatter = 7
};
enum AttributeField {
  kAttributeName = 1,
  kInt32 = 7,
  kInt64 = 9,
  kUint64 = 13,
  kBool = 27,
  kString = 29
};

constexpr double kMicrosecondsPerSecond = 1e6;

std::int64_t microseconds(Seconds time) {
  return std::llround(time * kMicrosecondsPerSecond);
}

/// How many take part in a collective of a job of `members`.
std::size_t participants(const Step& step, int members) {
  return step.ranks.empty() ? members : step.ranks.size();
}

bool is_of_one(const Step& step, int members) {
  return step.kind == Step::Kind::kCollective && participants(step, members) == 1;
}

/// A collective of one sends nothing, and in ASTRA-sim it never ends: a kernel of nothing keeps its
/// place among what needs it.
Step place_of(const Step& step) {
  return {.name = step.name,
          .begin = step.begin,
          .end = step.begin,
          .needs = step.needs,
          .follows = step.follows};
}

NodeType type_of(Step::Kind kind) {
  switch (kind) {
    case Step::Kind::kCompute:
      return kComputeNode;
    case Step::Kind::kSend:
      return kSendNode;
    case Step::Kind::kReceive:
      return kReceiveNode;
    case Step::Kind::kCollective:
      return kCollectiveNode;
  }
  return kComputeNode;
}

/// By the name of its schedule; all others are all-reduces.
CollectiveType collective_type(const std::string& schedule) {
  if (schedule == "ring_reduce_scatter") return kReduceScatter;
  if (schedule == "ring_all_gather") return kAllGather;
  if (schedule == "binomial_broadcast") return kBroadcast;
  if (schedule == "pairwise_all_to_all") return kAllToAll;
  return kAllReduce;
}

/// Of one node: adds attributes, each a message with a name and a value of some type.
class Attributes {
 public:
  explicit Attributes(pbf_writer& node) : node_(node) {}

  void add_int32(const char* name, std::int32_t value) {
    add(name, [&](pbf_writer& attribute) { attribute.add_int32(kInt32, value); });
  }
  void add_int64(const char* name, std::int64_t value) {
    add(name, [&](pbf_writer& attribute) { attribute.add_int64(kInt64, value); });
  }
  void add_uint64(const char* name, std::uint64_t value) {
    add(name, [&](pbf_writer& attribute) { attribute.add_uint64(kUint64, value); });
  }
  void add_bool(const char* name, bool value) {
    add(name, [&](pbf_writer& attribute) { attribute.add_bool(kBool, value); });
  }
  void add_string(const char* name, const std::string& value) {
    add(name, [&](pbf_writer& attribute) { attribute.add_string(kString, value); });
  }

 private:
  template <typename Add>
  void add(const char* name, const Add& add_value) {
    pbf_writer attribute(node_, kNodeAttribute);
    attribute.add_string(kAttributeName, name);
    add_value(attribute);
  }

  pbf_writer& node_;
};

void add_message(Attributes& attributes, const Step& step, int rank) {
  const bool sends = step.kind == Step::Kind::kSend;
  attributes.add_int64("comm_size", static_cast<std::int64_t>(step.bytes));
  attributes.add_int32("comm_src", sends ? rank : step.peer);
  attributes.add_int32("comm_dst", sends ? step.peer : rank);
  attributes.add_int32("comm_tag", step.tag);
}

void add_collective(Attributes& attributes, const Step& step, int members,
                    const CollectiveGroups& groups) {
  const CollectiveType type = collective_type(step.name);
  const std::size_t ranks = participants(step, members);
  const std::uint64_t part = (step.bytes + ranks - 1) / ranks;  // the largest
  const std::uint64_t put_in = type == kAllGather ? part : step.bytes;
  attributes.add_int64("comm_type", type);
  attributes.add_int64("comm_size", static_cast<std::int64_t>(put_in));
  attributes.add_uint64("sent_bytes", step.sent_bytes);
  attributes.add_uint64("received_bytes", step.received_bytes);
  if (!step.ranks.empty()) attributes.add_string("pg_name", std::to_string(groups.at(step.ranks)));
}

/// At least one of each: a roofline takes the time of a kernel without operations for 0 / 0, and
/// ASTRA-sim's never gets past one without bytes.
void add_kernel(Attributes& attributes, const Step& step) {
  attributes.add_int64("num_ops", std::max(std::llround(step.flops), 1LL));
  attributes.add_uint64("tensor_size", std::max(std::llround(step.memory_bytes), 1LL));
}

/// Writes the nodes of one member.
class TraceWriter {
 public:
  TraceWriter(int rank, int members, const CollectiveGroups& groups)
      : rank_(rank), members_(members), groups_(groups) {
    std::string metadata;
    pbf_writer(metadata).add_string(kVersion, kSchemaVersion);
    append(metadata);
  }

  void add(std::size_t index, const Step& step) {
    std::string message;
    pbf_writer node(message);
    node.add_uint64(kId, index);
    node.add_string(kName, step.name);
    node.add_enum(kType, type_of(step.kind));
    node.add_packed_uint64(kControlDependencies, step.follows.begin(), step.follows.end());
    node.add_packed_uint64(kDataDependencies, step.needs.begin(), step.needs.end());
    node.add_uint64(kStartMicroseconds, microseconds(step.begin));
    node.add_uint64(kDurationMicroseconds, duration(step));
    Attributes attributes(node);
    attributes.add_bool("is_cpu_op", false);
    add_own(attributes, step);
    append(message);
  }

  std::string take() { return std::move(trace_); }

 private:
  void add_own(Attributes& attributes, const Step& step) const {
    switch (step.kind) {
      case Step::Kind::kCompute:
        add_kernel(attributes, step);
        break;
      case Step::Kind::kSend:
      case Step::Kind::kReceive:
        add_message(attributes, step, rank_);
        break;
      case Step::Kind::kCollective:
        add_collective(attributes, step, members_, groups_);
        break;
    }
  }

  /// Many kernels are shorter than a microsecond; what one loses by rounding the next ones gain.
  std::uint64_t duration(const Step& step) {
    const Seconds time = std::max(0.0, step.end - step.begin);
    if (step.kind != Step::Kind::kCompute) return microseconds(time);
    const std::int64_t before = microseconds(computed_);
    computed_ += time;
    return microseconds(computed_) - before;
  }

  void append(const std::string& message) {
    protozero::add_varint_to_buffer(&trace_, message.size());
    trace_ += message;
  }

  int rank_;
  int members_;
  const CollectiveGroups& groups_;
  Seconds computed_ = 0;
  std::string trace_;
};

std::string groups_json(const CollectiveGroups& groups) {
  nlohmann::json all;
  for (const auto& [ranks, number] : groups) all[std::to_string(number)] = ranks;
  return all.dump(2) + "\n";
}

}  // namespace

CollectiveGroups collective_groups(const std::vector<MemberResult>& members) {
  CollectiveGroups groups;
  for (const MemberResult& member : members) {
    for (const Step& step : member.program) {
      if (step.ranks.size() > 1) groups.try_emplace(step.ranks, 0);
    }
  }
  int number = 0;
  for (auto& [ranks, own] : groups) own = ++number;
  return groups;
}

std::string chakra_trace(const MemberResult& member, int members, const CollectiveGroups& groups) {
  TraceWriter writer(member.rank, members, groups);
  for (std::size_t i = 0; i < member.program.size(); ++i) {
    const Step& step = member.program[i];
    if (is_of_one(step, members)) {
      writer.add(i, place_of(step));
    } else {
      writer.add(i, step);
    }
  }
  return writer.take();
}

void write_chakra_traces(const std::filesystem::path& folder, const std::string& name,
                         const std::vector<MemberResult>& members) {
  const CollectiveGroups groups = collective_groups(members);
  for (const MemberResult& member : members) {
    if (member.program.empty()) continue;
    write_file_atomically(folder / fmt::format("{}.{}.et", name, member.rank),
                          chakra_trace(member, static_cast<int>(members.size()), groups));
  }
  if (!groups.empty())
    write_file_atomically(folder / fmt::format("{}.groups.json", name), groups_json(groups));
}

}  // namespace tandem
