#include "core/training/checkpoint/manifest.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>

#include "core/base/atomic_file.h"
#include "core/base/error.h"
#include "core/base/json_text.h"
#include "core/training/checkpoint/crc32.h"

namespace tandem {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPrefix = "iteration-";
constexpr int kVersion = 2;

std::uint32_t checksum_of(const nlohmann::json& content) {
  const std::string text = content.dump();
  return crc32_of(std::as_bytes(std::span(text)));
}

int count_of(const nlohmann::json& value) {
  return static_cast<int>(whole_number(value, std::numeric_limits<int>::max()));
}

fs::path manifest_path(const fs::path& checkpoint) {
  return checkpoint / "manifest.json";
}

}  // namespace

void Manifest::save(const fs::path& checkpoint) const {
  nlohmann::json seals = nlohmann::json::array();
  for (const FileSeal& file : files)
    seals.push_back({{"bytes", file.bytes}, {"crc32", file.crc32}});
  nlohmann::json content = {{"format", "tandem checkpoint"},
                            {"version", kVersion},
                            {"iteration", iteration},
                            {"done", done},
                            {"next_batch", next_batch},
                            {"workers", saved.workers},
                            {"servers", saved.servers},
                            {"training", training},
                            {"members", seals}};
  if (!figures.is_null()) content["figures"] = figures;
  const nlohmann::json all = {{"content", content}, {"crc32", checksum_of(content)}};
  write_file_atomically(manifest_path(checkpoint), all.dump(1) + "\n");
}

Manifest Manifest::load(const fs::path& checkpoint) {
  std::error_code ignored;  // which reading it tells of
  const fs::file_type type = fs::status(manifest_path(checkpoint), ignored).type();
  if (type == fs::file_type::fifo || type == fs::file_type::socket)
    throw RunError("manifest.json is no file");
  try {
    const nlohmann::json all = parse_shallow_json(read_file(manifest_path(checkpoint)));
    const nlohmann::json& content = all.at("content");
    if (all.at("crc32") != checksum_of(content))
      throw RunError("manifest.json is corrupted: its checksum is wrong");
    if (content.at("version") != kVersion)
      throw OtherVersion(
          fmt::format("manifest.json has version {}, but this tandem reads version {}",
                      content.at("version").dump(), kVersion));
    const int iteration = count_of(content.at("iteration"));
    Manifest manifest{.iteration = iteration,
                      .done = content.at("done"),
                      .next_batch = whole_number(content.at("next_batch")),
                      .saved = {.workers = count_of(content.at("workers")),
                                .servers = count_of(content.at("servers"))},
                      .training = content.at("training"),
                      .figures = content.value("figures", nlohmann::json()),
                      .files = {}};
    for (const auto& seal : content.at("members"))
      manifest.files.push_back({whole_number(seal.at("bytes")),
                                static_cast<std::uint32_t>(whole_number(
                                    seal.at("crc32"), std::numeric_limits<std::uint32_t>::max()))});
    const Membership& saved = manifest.saved;
    const bool counts_well = manifest.done >= 0 && manifest.done <= iteration;
    if (saved.workers == 0 || !counts_well || !manifest.training.is_object() ||
        manifest.files.size() != std::size_t(saved.workers) + std::size_t(saved.servers))
      throw RunError("manifest.json is of no training");
    return manifest;
  } catch (const nlohmann::json::exception&) {
    throw RunError("manifest.json is corrupted: it can't be read as JSON of a checkpoint");
  } catch (const InputError& error) {
    throw RunError(error.what());
  }
}

fs::path checkpoint_path(const fs::path& folder, int iteration) {
  return folder / fmt::format("{}{}", kPrefix, iteration);
}

fs::path member_path(const fs::path& checkpoint, int rank) {
  return checkpoint / fmt::format("member-{}", rank);
}

std::vector<int> all_checkpoints(const fs::path& folder) {
  std::vector<int> iterations;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    int iteration = 0;
    if (!name.starts_with(kPrefix)) continue;
    const char* end = name.data() + name.size();
    const auto [at, failure] = std::from_chars(name.data() + kPrefix.size(), end, iteration);
    if (failure == std::errc{} && at == end) iterations.push_back(iteration);
  }
  std::ranges::sort(iterations, std::greater{});
  return iterations;
}

std::vector<int> complete_checkpoints(const fs::path& folder) {
  std::vector<int> iterations = all_checkpoints(folder);
  std::erase_if(iterations, [&](int iteration) {
    std::error_code error;  // which a file that can't be looked at is refused for when it is read
    const bool is_there = fs::exists(manifest_path(checkpoint_path(folder, iteration)), error);
    return !is_there && !error;
  });
  return iterations;
}

namespace {

/// Nobody else's files: what checkpoints consist of, whole or not.
bool is_all_ours(const fs::path& checkpoint) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(checkpoint, error)) {
    const std::string name = entry.path().filename();
    if (entry.symlink_status(error).type() != fs::file_type::regular) return false;
    if (name != "manifest.json" && !name.starts_with("member-") &&
        !name.starts_with(kUnfinishedPrefix))
      return false;
  }
  return !error;
}

}  // namespace

void remove_checkpoint(const fs::path& checkpoint) {
  if (!is_all_ours(checkpoint)) return;
  std::error_code ignored;
  fs::remove(manifest_path(checkpoint), ignored);  // first, so that no part passes for a whole
  fs::remove_all(checkpoint, ignored);
}

}  // namespace tandem
