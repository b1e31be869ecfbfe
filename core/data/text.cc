#include "core/data/text.h"

#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <span>

#include "core/base/error.h"
#include "core/data/data_folder.h"
#include "core/data/input_file.h"

namespace tandem {
namespace {

namespace fs = std::filesystem;
using Bytes = std::span<const std::uint8_t>;

constexpr std::size_t kTestShare = 10;  // one byte of so many is to test
constexpr std::int32_t kUnknown = -1;

fs::path find_text(const DataRequest& request) {
  if (request.path && fs::is_regular_file(*request.path)) return *request.path;
  return DataFolder(request, {"tinyshakespeare.txt", {}, {}, {}}).file("tinyshakespeare.txt");
}

/// The token of each byte.
struct Vocabulary {
  std::array<std::int32_t, 256> tokens;
  int size = 0;

  explicit Vocabulary(Bytes train) {
    tokens.fill(kUnknown);
    for (const std::uint8_t byte : train) tokens[byte] = 0;
    for (std::int32_t& token : tokens) {
      if (token != kUnknown) token = size++;
    }
  }
};

std::vector<std::int32_t> encode(Bytes text, const Vocabulary& vocabulary) {
  std::vector<std::int32_t> tokens;
  for (const std::uint8_t byte : text) {
    if (vocabulary.tokens[byte] != kUnknown) tokens.push_back(vocabulary.tokens[byte]);
  }
  return tokens;
}

/// A file in its two parts.
struct Text {
  fs::path file;
  std::vector<std::uint8_t> bytes;

  explicit Text(const DataRequest& request)
      : file(find_text(request)), bytes(InputFile(file).read_rest()) {
    if (bytes.empty())
      throw InputError(fmt::format("{}: is empty; it must be a text", file.string()));
  }

  Bytes train() const { return Bytes(bytes).first(bytes.size() - bytes.size() / kTestShare); }
  Bytes test() const { return Bytes(bytes).last(bytes.size() / kTestShare); }
};

std::size_t windows(const Text& text, std::size_t tokens, int sequence, const char* part) {
  if (tokens > static_cast<std::size_t>(sequence)) return (tokens - 1) / sequence;
  throw InputError(fmt::format(
      "{}: has {} tokens to {}; a sample takes {}, one more than model.sequence; take a "
      "longer text or a shorter sequence",
      text.file.string(), tokens, part, sequence + 1));
}

Dataset cut(const std::vector<std::int32_t>& tokens, std::size_t samples, int sequence,
            int classes) {
  const auto end = tokens.begin() + static_cast<std::ptrdiff_t>(samples * sequence);
  return {.shape = {1, sequence, 1},
          .classes = classes,
          .images = {tokens.begin(), end},
          .labels = {tokens.begin() + 1, end + 1},
          .labels_each = sequence};
}

}  // namespace

DataSplits read_text(const DataRequest& request, int sequence) {
  const Text text(request);
  const Vocabulary vocabulary(text.train());
  const auto part = [&](Bytes bytes, const char* purpose) {
    const std::vector<std::int32_t> tokens = encode(bytes, vocabulary);
    return cut(tokens, windows(text, tokens.size(), sequence, purpose), sequence, vocabulary.size);
  };
  return {part(text.train(), "train on"), part(text.test(), "test with")};
}

DatasetInfo describe_text(const DataRequest& request, int sequence) {
  const Text text(request);
  DatasetInfo info = known_of_text(sequence);
  info.classes = Vocabulary(text.train()).size;
  info.train_size = windows(text, text.train().size(), sequence, "train on");
  return info;
}

DatasetInfo known_of_text(int sequence) {
  return {.shape = {1, sequence, 1}, .classes = 0, .labels_each = sequence, .has_tokens = true};
}

}  // namespace tandem
