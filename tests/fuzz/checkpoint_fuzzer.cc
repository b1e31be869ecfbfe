// Checkpoints: the content of a manifest, and behind lines of "%%" the header of a member's file
// and its bytes. They are sealed as a checkpoint is, since checksums keep out accidents alone; the
// files as they are come first.

#include <nlohmann/json.hpp>

#include "core/scenario/scenario.h"
#include "core/training/checkpoint/choose.h"
#include "core/training/checkpoint/crc32.h"
#include "core/training/checkpoint/past.h"
#include "tests/fuzz/fuzz.h"

namespace tandem {
namespace {

constexpr std::string_view kFormat = "tandem checkpoint member 1\n";

std::uint32_t checksum_of(std::string_view text) {
  return crc32_of(std::as_bytes(std::span(text)));
}

/// State of every sort.
struct State {
  float weights[12] = {}, shard[4] = {}, own[3] = {};
  double number = 0;
  std::vector<double> numbers;

  void visit(StateVisitor& visitor) {
    const auto view = [](std::span<float> floats) {
      return View{reinterpret_cast<std::byte*>(floats.data()), floats.size()};
    };
    visitor.arena("weights", view(weights), {.holder = Holder::kAll, .chunks = {{0, 12}}});
    visitor.arena("shard", view(shard), {.holder = Holder::kShard, .chunks = {{2, 3}, {8, 1}}});
    visit_own(visitor, "own", view(own));
    visit_value(visitor, "number", number);
    visit_vector(visitor, "numbers", numbers);
  }
};

FileSeal seal_of(std::string_view bytes) {
  return {.bytes = bytes.size(), .crc32 = checksum_of(bytes)};
}

std::string member_file(std::string_view header, std::string_view bytes) {
  std::string file(kFormat);
  for (unsigned i = 0; i < 8; ++i) file += static_cast<char>(header.size() >> (8 * i));
  return file.append(header).append(bytes);
}

/// What is no JSON is left as it is.
std::string manifest_file(std::string_view text) {
  const auto content = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (content.is_discarded()) return std::string(text);
  const std::string written = content.dump();
  return fmt::format(R"({{"content": {}, "crc32": {}}})", written, checksum_of(written));
}

/// By every member of a job of two workers and a server.
void restore(const std::filesystem::path& member, const FileSeal& seal, const Membership& saved) {
  for (int rank = 0; rank < 3; ++rank) {
    fuzz::end_well([&] {
      std::vector<MemberFile> files;
      for (int i = 0; i < saved.members(); ++i) files.emplace_back(member, seal);
      State state;
      restore_state(files, saved, {.rank = rank, .workers = 2, .servers = 1},
                    [&](StateVisitor& visitor) { state.visit(visitor); });
    });
  }
}

/// What others recorded, by those who come after them.
void inherit(const std::filesystem::path& member, const FileSeal& seal, const Membership& saved) {
  fuzz::end_well([&] {
    std::vector<MemberFile> files;
    for (int i = 0; i < saved.members(); ++i) files.emplace_back(member, seal);
    inherited_past(files, saved, 20, 8);
  });
}

}  // namespace
}  // namespace tandem

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tandem;
  static const fuzz::File manifest, member;
  static const fuzz::Folder folder;
  static const Scenario scenario = [] {
    folder.link({"manifest.json"}, manifest);
    Scenario training;
    training.model.name = "mnist_cnn";
    training.data.features = {"u", "g"};
    return training;
  }();
  const std::string_view all = fuzz::text_of(data, size);
  manifest.hold(all);
  member.hold(all);
  fuzz::end_well([&] { Manifest::load(folder.path()); });
  fuzz::end_well([&] { restore(member.path(), seal_of(all), {.workers = 1}); });
  const auto parts = fuzz::parts_of(all, 3);
  const std::string sealed = member_file(parts[1], parts[2]);
  manifest.hold(manifest_file(parts[0]));
  member.hold(sealed);
  return fuzz::end_well([&] {
    const Manifest loaded = Manifest::load(folder.path());
    mismatch(loaded, scenario);
    constexpr std::size_t kMostMembers = 8;
    if (loaded.files.size() > kMostMembers) return;
    restore(member.path(), seal_of(sealed), loaded.saved);
    inherit(member.path(), seal_of(sealed), loaded.saved);
  });
}
