#include "core/scenario/value.h"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>
#include <sstream>

namespace tandem {
namespace {

// No scenario nests nearly as deep; an alias to itself would.
constexpr int kMaxDepth = 32;
// Nor is any nearly as long; aliases of aliases would be.
constexpr int kMaxNodes = 100'000;

using Locate = std::function<std::string(const YAML::Mark&)>;

// Turns yaml-cpp's nodes into values.
class Converter {
 public:
  explicit Converter(Locate locate) : locate_(std::move(locate)) {}

  Value convert(const YAML::Node& node, int depth = 0) {
    Value value;
    value.where = locate_(node.Mark());
    if (depth > kMaxDepth) fail(value.where, "is nested too deeply");
    if (++nodes_ > kMaxNodes) fail(value.where, "is too long, with its aliases written out");
    if (node.IsScalar()) {
      value.kind = Value::Kind::kScalar;
      value.scalar = node.Scalar();
      value.quoted = node.Tag() == "!";
    } else if (node.IsSequence()) {
      value.kind = Value::Kind::kList;
      for (const auto& item : node) value.items.push_back(convert(item, depth + 1));
    } else if (node.IsMap()) {
      value.kind = Value::Kind::kMap;
      for (const auto& entry : node) add_entry(value, entry.first, entry.second, depth);
    }
    return value;
  }

 private:
  void add_entry(Value& map, const YAML::Node& key, const YAML::Node& value, int depth) {
    const std::string where = locate_(key.Mark());
    if (!key.IsScalar()) fail(where, "a key has to be a word");
    if (map.find(key.Scalar()) != nullptr)
      fail(where, fmt::format("'{}' is given twice; keep one", key.Scalar()));
    map.entries.push_back({key.Scalar(), where, convert(value, depth + 1)});
    // yaml-cpp places a missing value where the next thing begins.
    if (value.IsNull()) map.entries.back().value.where = where;
  }

  Locate locate_;
  int nodes_ = 0;
};

void check_utf8(const std::string& content, const std::string& file) {
  std::istringstream lines(content);
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    if (!is_utf8(line)) fail(fmt::format("{}:{}:1", file, number), "this line is not UTF-8 text");
  }
}

/// Where a document begins; its content passes by.
class Beginning final : public YAML::EventHandler {
 public:
  YAML::Mark mark;

  void OnDocumentStart(const YAML::Mark& start) override { mark = start; }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark&, YAML::anchor_t) override {}
  void OnAlias(const YAML::Mark&, YAML::anchor_t) override {}
  void OnScalar(const YAML::Mark&, const std::string&, YAML::anchor_t,
                const std::string&) override {}
  void OnSequenceStart(const YAML::Mark&, const std::string&, YAML::anchor_t,
                       YAML::EmitterStyle::value) override {}
  void OnSequenceEnd() override {}
  void OnMapStart(const YAML::Mark&, const std::string&, YAML::anchor_t,
                  YAML::EmitterStyle::value) override {}
  void OnMapEnd() override {}
};

// YAML::LoadAll() would take ", " for documents without end: none of them reads the comma.
void require_one_document(const std::string& content, const Locate& locate) {
  std::istringstream text(content);
  YAML::Parser parser(text);
  Beginning first, second;
  if (!parser.HandleNextDocument(first) || !parser.HandleNextDocument(second)) return;
  if (second.mark.pos == first.mark.pos)
    fail(locate(first.mark), "this is no YAML: nothing begins with this sign");
  fail(locate(second.mark), "a second document begins; write one scenario a file");
}

Value parse(const std::string& content, const Locate& locate) {
  try {
    require_one_document(content, locate);
    return Converter(locate).convert(YAML::Load(content));
  } catch (const YAML::Exception& error) {
    fail(locate(error.mark), fmt::format("this is no YAML: {}", error.msg));
  }
}

}  // namespace

bool is_utf8(const std::string& text) {
  try {
    return !nlohmann::json(text).dump().empty();
  } catch (const nlohmann::json::type_error&) {
    return false;
  }
}

const Value* Value::find(const std::string& key) const {
  const auto found = std::ranges::find(entries, key, &ValueEntry::key);
  return found == entries.end() ? nullptr : &found->value;
}

Value* Value::find(const std::string& key) {
  return const_cast<Value*>(static_cast<const Value*>(this)->find(key));
}

Value parse_yaml_file(const std::string& content, const std::string& file) {
  check_utf8(content, file);
  return parse(content, [&](const YAML::Mark& mark) {
    return fmt::format("{}:{}:{}", file, std::max(mark.line, 0) + 1, std::max(mark.column, 0) + 1);
  });
}

Value parse_yaml_text(const std::string& content, const std::string& where) {
  if (!is_utf8(where)) fail("--set", "what follows is not UTF-8 text");
  return parse(content, [&](const YAML::Mark&) { return where; });
}

std::string describe(const Value& value) {
  switch (value.kind) {
    case Value::Kind::kNull:
      return "nothing";
    case Value::Kind::kScalar:
      return fmt::format("'{}'", value.scalar);
    case Value::Kind::kList:
      return "a list";
    case Value::Kind::kMap:
      return "a map";
  }
  return "?";
}

void fail(const std::string& where, const std::string& message) {
  throw InputError(where + ": " + message);
}

}  // namespace tandem
