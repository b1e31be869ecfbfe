// Checkpoints that somebody made to harm: their checksums are right, and what they say is not.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "core/base/atomic_file.h"
#include "core/base/error.h"
#include "core/data/dataset.h"
#include "core/training/checkpoint/choose.h"
#include "core/training/checkpoint/crc32.h"
#include "core/training/checkpoint/past.h"
#include "tests/core/data/files.h"

namespace tandem {
namespace {

using nlohmann::json;
using testing::HasSubstr;

template <typename Read>
std::string error_of(const Read& read) {
  try {
    read();
  } catch (const RunError& error) {
    return error.what();
  }
  return "no error";
}

std::uint32_t checksum_of(const std::string& text) {
  return crc32_of(std::as_bytes(std::span(text)));
}

class HostileCheckpoint : public testing::Test {
 protected:
  MemberFile member_file(const std::string& bytes) const {
    const auto file = folder_.write("member-0", bytes);
    return {file, {.bytes = bytes.size(), .crc32 = checksum_of(bytes)}};
  }

  /// With that header, whose length may be told wrong, and so many bytes behind it.
  MemberFile member_file(const std::string& header, std::uint64_t length, std::size_t rest) const {
    std::string bytes = "tandem checkpoint member 1\n";
    for (unsigned i = 0; i < 8; ++i) bytes += static_cast<char>(length >> (8 * i));
    return member_file(bytes + header + std::string(rest, 'x'));
  }

  MemberFile member_file(const json& parts, std::size_t rest) const {
    const std::string header = json{{"rank", 0}, {"parts", parts}}.dump();
    return member_file(header, header.size(), rest);
  }

  std::string error_of_member(const json& parts, std::size_t rest) const {
    return error_of([&] { member_file(parts, rest); });
  }

  Manifest manifest(const std::string& content) const {
    const std::string written = json::parse(content).dump();
    folder_.write("iteration-4/manifest.json", "{\"content\": " + content + ", \"crc32\": " +
                                                   std::to_string(checksum_of(written)) + "}");
    return Manifest::load(folder_.path() / "iteration-4");
  }

  /// With one of its entries another.
  Manifest manifest(const std::string& key, const json& value) const {
    json content = {{"version", 2},
                    {"iteration", 4},
                    {"done", 4},
                    {"next_batch", 4},
                    {"workers", 1},
                    {"servers", 0},
                    {"training", json::object()},
                    {"members", json::array({{{"bytes", 1}, {"crc32", 1}}})}};
    content[key] = value;
    return manifest(content.dump());
  }

  TemporaryFolder folder_;
};

constexpr const char* kNotOurs = "member-0 is no part of a checkpoint that this version reads";

TEST_F(HostileCheckpoint, HasPartsThatReachBeyondItsFile) {
  const std::size_t all = std::numeric_limits<std::size_t>::max();
  EXPECT_EQ(error_of_member({{"a", true, 0, 1, 8}}, 8), "no error");
  EXPECT_EQ(error_of_member({{"a", true, 0, 1, 9}}, 8), kNotOurs);
  // The sum of these is 8 again.
  EXPECT_EQ(error_of_member({{"a", true, 0, 1, all}, {"b", true, 0, 1, 9}}, 8), kNotOurs);
  EXPECT_EQ(error_of_member({{"a", true, 0, 1, -8}, {"b", true, 0, 1, 16}}, 8), kNotOurs);
  EXPECT_EQ(error_of_member({{"a", true, 0, 1, 1e300}}, 8), kNotOurs);
  EXPECT_EQ(error_of_member({{"a", false, -1, 4, 8}}, 8), kNotOurs);
}

TEST_F(HostileCheckpoint, TellsAHeadersLengthWrong) {
  const std::string header = R"({"parts": []})";
  for (const std::uint64_t wrong : {std::uint64_t{100}, ~std::uint64_t{0}, ~std::uint64_t{34}})
    EXPECT_EQ(error_of([&] { member_file(header, wrong, 0); }), kNotOurs);
  EXPECT_EQ(error_of([&] { member_file("tandem checkpoint member 1\nshort"); }), kNotOurs);
}

TEST_F(HostileCheckpoint, IsNestedDeeply) {
  constexpr int kDeep = 1'000'000;
  const std::string deep = std::string(kDeep, '[') + std::string(kDeep, ']');
  EXPECT_EQ(error_of([&] { member_file(deep, deep.size(), 0); }), kNotOurs);
  folder_.write("manifest.json", "{\"content\": " + deep + ", \"crc32\": 1}");
  EXPECT_EQ(error_of([&] { Manifest::load(folder_.path()); }), "is nested too deeply");
}

TEST_F(HostileCheckpoint, HasBytesThatAreNoNumbers) {
  std::vector<MemberFile> files;
  files.push_back(member_file({{"numbers", true, 0, 1, 13}}, 13));
  std::vector<double> numbers;
  EXPECT_EQ(error_of([&] {
              restore_state(files, {}, {}, [&](StateVisitor& visitor) {
                visit_vector(visitor, "numbers", numbers);
              });
            }),
            "it has 13 bytes of numbers, which is no multiple of 8");
}

TEST_F(HostileCheckpoint, HasSomeNumbersTwiceAndOthersNotAtAll) {
  std::vector<MemberFile> files;
  files.push_back(member_file({{"weights", false, 0, 4, 24}, {"weights", false, 2, 4, 24}}, 48));
  std::vector<float> weights(12);
  const View view{reinterpret_cast<std::byte*>(weights.data()), weights.size()};
  EXPECT_EQ(error_of([&] {
              restore_state(files, {}, {}, [&](StateVisitor& visitor) {
                visitor.arena("weights", view, {.holder = Holder::kAll, .chunks = {{0, 12}}});
              });
            }),
            "it has 8 of 12 numbers of weights");
}

TEST_F(HostileCheckpoint, RecordedOtherIterations) {
  RecordedPast past{.inherited = {.iterations = 3}, .iterations = {{}, {}}};
  EXPECT_EQ(error_of([&] { require_past_of(past, 5); }), "no error");
  EXPECT_NE(error_of([&] { require_past_of(past, 6); }), "no error");
  past.evaluations = {{.iteration = 2}, {.iteration = 5}};
  EXPECT_EQ(error_of([&] { require_past_of(past, 5); }), "no error");
  past.evaluations = {{.iteration = 2}, {.iteration = 6}};
  EXPECT_NE(error_of([&] { require_past_of(past, 5); }), "no error");
  past.evaluations = {{.iteration = 4}, {.iteration = 3}};
  EXPECT_NE(error_of([&] { require_past_of(past, 5); }), "no error");
  for (const int inherited : {-1, 6, std::numeric_limits<int>::max()}) {
    past = {.inherited = {.iterations = inherited}};
    EXPECT_NE(error_of([&] { require_past_of(past, 5); }), "no error") << inherited;
  }
}

TEST_F(HostileCheckpoint, HasNoServersForAServer) {
  std::vector<MemberFile> files;
  files.push_back(member_file(json::array(), 0));
  EXPECT_EQ(error_of([&] {
              restore_state(files, {}, {.rank = 1, .workers = 1, .servers = 1},
                            [](StateVisitor& visitor) {
                              int number = 0;
                              visit_value(visitor, "number", number);
                            });
            }),
            "it was saved without servers");
}

TEST_F(HostileCheckpoint, HasAManifestOfNoTraining) {
  EXPECT_EQ(error_of([&] { manifest("iteration", 5); }), "no error");
  EXPECT_EQ(error_of([&] { manifest("done", 2.5); }), "no error");
  for (const auto& [key, value] :
       std::vector<std::pair<std::string, json>>{{"workers", 0},
                                                 {"workers", 2},
                                                 {"workers", 2'147'483'648},
                                                 {"servers", -1},
                                                 {"servers", 1},
                                                 {"iteration", -1},
                                                 {"iteration", 1e300},
                                                 {"done", -1},
                                                 {"done", 4.5},
                                                 {"done", "all"},
                                                 {"next_batch", 1e300},
                                                 {"next_batch", -1},
                                                 {"training", "none"},
                                                 {"training", json::array()},
                                                 {"members", json::array()},
                                                 {"members", {{{"bytes", 1e300}, {"crc32", 1}}}},
                                                 {"members", {{{"bytes", 1}, {"crc32", -1}}}}})
    EXPECT_NE(error_of([&] { manifest(key, value); }), "no error") << key << " " << value;
}

TEST_F(HostileCheckpoint, HasKeysThatAreNoIndices) {
  Scenario scenario;
  scenario.data.features = {"u", "g"};
  json training = training_identity(scenario);
  training["data"]["features"] = {{"0", "u"}, {"1", "g"}, {"99999999999999999999", 1}};
  EXPECT_THAT(mismatch(manifest("training", training), scenario),
              HasSubstr("its data.features.99999999999999999999 is 1, here it is none"));
}

TEST_F(HostileCheckpoint, WasSavedByMoreWorkersThanThereAreSamplesFor) {
  EXPECT_EQ(batch_on_other_workers(7, 100, 64, 5, 1), 7U);
}

}  // namespace
}  // namespace tandem
