#include "core/interchange/paje.h"

#include <gmock/gmock.h>

#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace tandem {
namespace {

using testing::ElementsAre;

/// A line of a Paje trace, by the names of its event and of its fields.
struct Event {
  std::string name;
  std::map<std::string, std::string> fields;

  std::string of(const std::string& field) const { return fields.at(field); }
  double time() const { return std::stod(of("Time")); }
};

std::vector<std::string> words_of(const std::string& line) {
  std::vector<std::string> words;
  std::istringstream in(line);
  while (in >> std::ws && !in.eof()) {
    std::string word;
    if (in.peek() == '"') {
      in.get();
      std::getline(in, word, '"');
    } else {
      in >> word;
    }
    words.push_back(word);
  }
  return words;
}

/// Reads a trace by the format's grammar: definitions of events first, each with typed fields, then
/// lines that fit them.
class Reader {
 public:
  explicit Reader(const std::string& text) {
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) read(line);
  }

  std::vector<Event> events;

 private:
  struct Definition {
    std::string name;
    std::vector<std::pair<std::string, std::string>> fields;  ///< name and type
  };

  void read(const std::string& line) {
    const std::vector<std::string> words = words_of(line);
    ASSERT_FALSE(words.empty());
    if (words[0] == "%EventDef") {
      ASSERT_TRUE(events.empty()) << "definitions come first";
      ASSERT_EQ(words.size(), 3U);
      open_ = std::stoi(words[2]);
      ASSERT_TRUE(definitions_.try_emplace(open_, Definition{words[1], {}}).second);
    } else if (words[0] == "%EndEventDef") {
      open_ = -1;
    } else if (words[0] == "%") {
      ASSERT_EQ(words.size(), 3U);
      ASSERT_THAT((std::set<std::string>{"int", "double", "date", "string", "color"}),
                  testing::Contains(words[2]));
      definitions_.at(open_).fields.emplace_back(words[1], words[2]);
    } else {
      read_event(words);
    }
  }

  void read_event(const std::vector<std::string>& words) {
    ASSERT_EQ(open_, -1);
    const Definition& definition = definitions_.at(std::stoi(words[0]));
    ASSERT_EQ(words.size(), definition.fields.size() + 1) << definition.name;
    Event event{.name = definition.name, .fields = {}};
    for (std::size_t i = 0; i < definition.fields.size(); ++i) {
      const auto& [name, type] = definition.fields[i];
      std::size_t read = 0;
      if (type == "int") std::stoll(words[i + 1], &read);
      if (type == "date") std::stod(words[i + 1], &read);
      if (type == "int" || type == "date") {
        ASSERT_EQ(read, words[i + 1].size()) << words[i + 1];
      }
      event.fields[name] = words[i + 1];
    }
    events.push_back(std::move(event));
  }

  std::map<int, Definition> definitions_;
  int open_ = -1;
};

/// What a viewer checks: names are defined before they are used, once, and of the type that is
/// asked for; time goes on; states are taken off as often as they are put on; links have two ends.
class Viewer {
 public:
  void show(const Event& event) {
    if (event.fields.contains("Time")) {
      EXPECT_GE(event.time(), now_);
      now_ = event.time();
    }
    if (event.name.starts_with("PajeDefine")) return define(event);
    if (event.name == "PajeCreateContainer") return create(event);
    if (event.name == "PajeDestroyContainer") {
      EXPECT_EQ(containers_.at(event.of("Name")), event.of("Type"));
      EXPECT_EQ(depth_[event.of("Name")], 0);
      EXPECT_EQ(containers_.erase(event.of("Name")), 1U);
      return;
    }
    EXPECT_EQ(types_.at(event.of("Type")), containers_.at(event.of("Container")));
    if (event.fields.contains("Value")) {
      EXPECT_EQ(values_.at(event.of("Value")), event.of("Type"));
    }
    if (event.name == "PajePushState") ++depth_[event.of("Container")];
    if (event.name == "PajePopState") {
      EXPECT_GE(--depth_[event.of("Container")], 0);
    }
    if (event.name == "PajeStartLink") {
      EXPECT_TRUE(containers_.contains(event.of("StartContainer")));
      EXPECT_TRUE(under_way_.insert(event.of("Key")).second);
    }
    if (event.name == "PajeEndLink") {
      EXPECT_TRUE(containers_.contains(event.of("EndContainer")));
      EXPECT_EQ(under_way_.erase(event.of("Key")), 1U);
    }
  }

  void end() const {
    EXPECT_TRUE(containers_.empty());
    EXPECT_TRUE(under_way_.empty());
  }

 private:
  void define(const Event& event) {
    if (event.name == "PajeDefineEntityValue") {
      EXPECT_TRUE(types_.contains(event.of("Type")));
      EXPECT_TRUE(values_.try_emplace(event.of("Alias"), event.of("Type")).second);
    } else {
      EXPECT_TRUE(event.of("Type") == "0" || types_.contains(event.of("Type")));
      EXPECT_TRUE(types_.try_emplace(event.of("Alias"), event.of("Type")).second);
    }
  }

  void create(const Event& event) {
    const std::string parent = event.of("Container");
    EXPECT_EQ(types_.at(event.of("Type")), parent == "0" ? "0" : containers_.at(parent));
    EXPECT_TRUE(containers_.try_emplace(event.of("Alias"), event.of("Type")).second);
    EXPECT_TRUE(names_.insert(event.of("Name")).second) << event.of("Name") << " is not unique";
  }

  double now_ = 0;
  std::map<std::string, std::string> types_, values_, containers_;  ///< and whose they are
  std::set<std::string> names_, under_way_;
  std::map<std::string, int> depth_;
};

std::vector<Event> shown(const TracedPoint& point) {
  const Reader reader(paje_trace(point));
  Viewer viewer;
  for (const Event& event : reader.events) viewer.show(event);
  viewer.end();
  return reader.events;
}

std::vector<std::string> lines_of(const std::vector<Event>& events, const std::string& name,
                                  const std::vector<std::string>& fields) {
  std::vector<std::string> lines;
  for (const Event& event : events) {
    if (event.name != name) continue;
    std::string line;
    for (const std::string& field : fields) line += (line.empty() ? "" : " ") + event.of(field);
    lines.push_back(line);
  }
  return lines;
}

Span compute(const char* phase, const char* layer, Seconds begin, Seconds end) {
  return {.lane = Lane::kCompute,
          .name = layer,
          .begin = begin,
          .end = end,
          .iteration = 3,
          .phase = phase};
}

Span message(const char* side, int peer, Seconds begin, Seconds end, std::uint64_t number) {
  return {.lane = Lane::kCommunication,
          .name = side,
          .begin = begin,
          .end = end,
          .bytes = 8,
          .peer = peer,
          .iteration = 3,
          .message = number};
}

TracedPoint point(std::vector<MemberSpan> spans) {
  return {.world = "simulated",
          .scenario = {{"name", "a \"name\""}, {"workers", 1}},
          .network = {},
          .spans = std::move(spans)};
}

TEST(PajeTrace, HasAContainerAMemberStatesAndALinkAMessage) {
  const std::vector<Event> events = shown(
      point({{0, compute("forward", "conv1", 10, 11)},
             {0, {.lane = Lane::kWait, .name = "wait", .begin = 11, .end = 11.5, .message = 7}},
             {0, message("send", 1, 11, 11.5, 7)},
             {0, message("send", 1, 12, 12, 8)},  // whose receive is not shown
             {1, message("receive", 0, 10.5, 11.75, 7)}}));
  EXPECT_THAT(lines_of(events, "PajeCreateContainer", {"Alias", "Container", "Name"}),
              ElementsAre("J 0 a 'name' (simulated)", "M0 J worker 0", "A0 M0 worker 0 activity",
                          "C0 M0 worker 0 communication", "M1 J server 0",
                          "A1 M1 server 0 activity", "C1 M1 server 0 communication"));
  EXPECT_THAT(lines_of(events, "PajePushState", {"Time", "Container", "Detail", "Iteration"}),
              ElementsAre("0.000000000 A0 conv1 3", "0.500000000 C1 receive from 0 (8 bytes) 3",
                          "1.000000000 A0 wait -1", "1.000000000 C0 send to 1 (8 bytes) 3"));
  EXPECT_THAT(lines_of(events, "PajeStartLink", {"Time", "StartContainer", "Key", "Bytes"}),
              ElementsAre("1.000000000 C0 7 8"));
  EXPECT_THAT(lines_of(events, "PajeEndLink", {"Time", "EndContainer", "Key"}),
              ElementsAre("1.750000000 C1 7"));
  EXPECT_THAT(lines_of(events, "PajeDefineEntityValue", {"Type", "Name"}),
              ElementsAre("LM message", "SA forward", "SA wait", "SC send", "SC receive"));
}

TEST(PajeTrace, GivesALaneOneStateAtATime) {
  const std::vector<Event> events =
      shown(point({{0, message("send", 1, 0, 2, 1)},
                   {0, message("receive", 1, 1, 3, 2)},
                   {0, message("receive", 1, 1.5, 3, 3)},
                   {0, compute("forward", "conv1", 0, 0.1)},
                   {0, compute("forward", "conv2", 0.1 - 1e-17, 0.2)},  // a rounding apart
                   {0, compute("backward", "none", 0.2, 0.2)}}));
  EXPECT_THAT(lines_of(events, "PajePushState", {"Time", "Container", "Detail"}),
              ElementsAre("0.000000000 A0 conv1", "0.000000000 C0 send to 1 (8 bytes)",
                          "0.100000000 A0 conv2", "1.000000000 C0 send to 1 (8 bytes)",
                          "2.000000000 C0 receive from 1 (8 bytes)"));
  EXPECT_THAT(lines_of(events, "PajeDefineEntityValue", {"Name"}),
              ElementsAre("message", "forward", "send", "receive + send", "receive"));
  EXPECT_THAT(lines_of(events, "PajePopState", {"Time", "Container"}),
              ElementsAre("0.100000000 A0", "0.200000000 A0", "1.000000000 C0", "2.000000000 C0",
                          "3.000000000 C0"));
}

TEST(PajeTrace, LetsNoLinkEndBeforeItBegins) {
  const std::vector<Event> events =
      shown(point({{1, message("receive", 0, 0, 1, 4)}, {0, message("send", 1, 1.25, 2, 4)}}));
  EXPECT_THAT(lines_of(events, "PajeEndLink", {"Time"}), ElementsAre("1.250000000"));
}

}  // namespace
}  // namespace tandem
