#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace tandem {

/// A data file being read from its beginning, gzipped or plain. All functions throw InputError
/// "FILE: what is wrong" where it can't be opened or read, or where its gzip stream ends early or
/// is damaged.
class InputFile {
 public:
  explicit InputFile(const std::filesystem::path& path);
  ~InputFile();
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  /// Reads up to `count` bytes and returns how many there were: fewer only at the end.
  std::size_t read(std::uint8_t* destination, std::size_t count);
  /// All that is left.
  std::vector<std::uint8_t> read_rest();

  [[noreturn]] void fail(const std::string& what) const;

 private:
  void check() const;

  struct Stream;
  std::filesystem::path path_;
  std::unique_ptr<Stream> stream_;
};

}  // namespace tandem
