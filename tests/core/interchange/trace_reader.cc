#include "tests/core/interchange/trace_reader.h"

#include <deque>
#include <protozero/pbf_reader.hpp>
#include <set>
#include <tuple>

#include "core/base/atomic_file.h"

namespace tandem {
namespace {

using protozero::pbf_reader;

/// The bytes of the next message, which lie behind their length.
pbf_reader next_message(const char** at, const char* end) {
  const std::uint64_t size = protozero::decode_varint(at, end);
  if (size > std::uint64_t(end - *at)) throw protozero::end_of_buffer_exception{};
  const char* begin = *at;
  *at += size;
  return {begin, size};
}

void read_attribute(pbf_reader attribute, TraceNode& node) {
  std::string name;
  while (attribute.next()) {
    switch (attribute.tag()) {
      case 1:
        name = attribute.get_string();
        break;
      case 7:
        node.numbers[name] = attribute.get_int32();
        break;
      case 9:
        node.numbers[name] = attribute.get_int64();
        break;
      case 13:
        node.numbers[name] = static_cast<std::int64_t>(attribute.get_uint64());
        break;
      case 27:
        node.numbers[name] = attribute.get_bool();
        break;
      case 29:
        node.texts[name] = attribute.get_string();
        break;
      default:
        attribute.skip();
    }
  }
}

TraceNode read_node(pbf_reader message) {
  TraceNode node;
  while (message.next()) {
    switch (message.tag()) {
      case 1:
        node.id = message.get_uint64();
        break;
      case 2:
        node.name = message.get_string();
        break;
      case 3:
        node.type = message.get_enum();
        break;
      case 4:
        for (const auto id : message.get_packed_uint64()) node.control.push_back(id);
        break;
      case 5:
        for (const auto id : message.get_packed_uint64()) node.data.push_back(id);
        break;
      case 6:
        node.start_us = message.get_uint64();
        break;
      case 7:
        node.duration_us = message.get_uint64();
        break;
      case 10:
        read_attribute(message.get_message(), node);
        break;
      default:
        message.skip();
    }
  }
  return node;
}

/// What has to come together: a message by its ends and tag, a collective by its group.
class Replay {
 public:
  Replay(const std::vector<TraceFile>& ranks, const std::map<std::string, std::vector<int>>& groups)
      : ranks_(ranks), groups_(groups), done_(ranks.size()), begun_(ranks.size()) {}

  std::size_t run() {
    while (step()) {
    }
    std::size_t stuck = 0;
    for (std::size_t rank = 0; rank < ranks_.size(); ++rank)
      stuck += ranks_[rank].nodes.size() - done_[rank].size();
    return stuck;
  }

 private:
  struct Place {
    std::size_t rank;
    std::uint64_t node;
  };
  using Message = std::tuple<std::int64_t, std::int64_t, std::int64_t, std::int64_t>;

  bool step() {
    bool any = false;
    for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
      for (const TraceNode& node : ranks_[rank].nodes) {
        if (begun_[rank].contains(node.id) || !is_free(rank, node)) continue;
        begun_[rank].insert(node.id);
        begin({rank, node.id}, node);
        any = true;
      }
    }
    return any;
  }

  bool is_free(std::size_t rank, const TraceNode& node) const {
    const auto is_done = [&](std::uint64_t id) { return done_[rank].contains(id); };
    return std::ranges::all_of(node.control, is_done) && std::ranges::all_of(node.data, is_done);
  }

  void begin(Place place, const TraceNode& node) {
    if (node.type == kComputeType) {
      finish(place);
    } else if (node.type == kCollectiveType) {
      begin_collective(place, node);
    } else {
      const Message message{node.numbers.at("comm_src"), node.numbers.at("comm_dst"),
                            node.numbers.at("comm_tag"), node.numbers.at("comm_size")};
      std::deque<Place>& others = node.type == kSendType ? receives_[message] : sends_[message];
      std::deque<Place>& alike = node.type == kSendType ? sends_[message] : receives_[message];
      if (others.empty()) return alike.push_back(place);
      finish(place);
      finish(others.front());
      others.pop_front();
    }
  }

  void begin_collective(Place place, const TraceNode& node) {
    const auto named = node.texts.find("pg_name");
    const std::string group = named == node.texts.end() ? "" : named->second;
    const std::size_t members = group.empty() ? ranks_.size() : groups_.at(group).size();
    const auto what = std::tuple(group, started_[{group, place.rank}]++,
                                 node.numbers.at("comm_type"), node.numbers.at("comm_size"));
    std::vector<Place>& met = collectives_[what];
    met.push_back(place);
    if (met.size() < members) return;
    for (const Place member : met) finish(member);
  }

  void finish(Place place) { done_[place.rank].insert(place.node); }

  const std::vector<TraceFile>& ranks_;
  const std::map<std::string, std::vector<int>>& groups_;
  std::vector<std::set<std::uint64_t>> done_, begun_;
  std::map<Message, std::deque<Place>> sends_, receives_;
  std::map<std::pair<std::string, std::size_t>, int> started_;
  std::map<std::tuple<std::string, int, std::int64_t, std::int64_t>, std::vector<Place>>
      collectives_;
};

}  // namespace

TraceFile read_trace(const std::filesystem::path& file) {
  const std::string bytes = read_file(file);
  const char *at = bytes.data(), *end = at + bytes.size();
  TraceFile trace;
  pbf_reader metadata = next_message(&at, end);
  while (metadata.next(1)) trace.version = metadata.get_string();
  while (at < end) trace.nodes.push_back(read_node(next_message(&at, end)));
  return trace;
}

std::size_t stuck_nodes(const std::vector<TraceFile>& ranks,
                        const std::map<std::string, std::vector<int>>& groups) {
  return Replay(ranks, groups).run();
}

}  // namespace tandem
