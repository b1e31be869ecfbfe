#pragma once

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"

namespace tandem::fuzz {

inline std::string_view text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

/// What stands between lines of "%%", `least` parts or more, empty where there are fewer: for
/// readers of several files.
inline std::vector<std::string_view> parts_of(std::string_view text, std::size_t least) {
  constexpr std::string_view kLine = "\n%%\n";
  std::vector<std::string_view> parts;
  for (std::size_t end; (end = text.find(kLine)) != std::string_view::npos;) {
    parts.push_back(text.substr(0, end));
    text.remove_prefix(end + kLine.size());
  }
  parts.push_back(text);
  if (parts.size() < least) parts.resize(least);
  return parts;
}

/// A file in memory, for readers that take a path.
class File {
 public:
  File() : file_(memfd_create("fuzzed", MFD_CLOEXEC)) {
    if (file_ < 0) std::abort();
  }
  ~File() { close(file_); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  void hold(std::string_view bytes) const {
    const auto size = static_cast<ssize_t>(bytes.size());
    if (ftruncate(file_, 0) != 0 || pwrite(file_, bytes.data(), bytes.size(), 0) != size)
      std::abort();
  }
  std::filesystem::path path() const { return fmt::format("/proc/self/fd/{}", file_); }

 private:
  int file_;
};

/// A folder whose files are links to some of those.
class Folder {
 public:
  Folder() {
    char name[] = "/dev/shm/fuzzed-XXXXXX";
    if (mkdtemp(name) == nullptr) std::abort();
    path_ = name;
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  void link(std::initializer_list<const char*> names, const File& file) const {
    for (const char* name : names) std::filesystem::create_symlink(file.path(), path_ / name);
  }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// Whatever the bytes, reading them ends in a value or in an error that is told to the user.
template <typename Read>
int end_well(const Read& read) {
  try {
    read();
  } catch (const InputError&) {
  } catch (const RunError&) {
  }
  return 0;
}

/// What was read and is written can be read again.
template <typename Read>
auto read_again(const Read& read) {
  try {
    return read();
  } catch (const std::exception& error) {
    fmt::print(stderr, "can't be read again: {}\n", error.what());
    std::abort();
  }
}

inline void require(bool holds, const std::string& what) {
  if (holds) return;
  fmt::print(stderr, "{}\n", what);
  std::abort();
}

}  // namespace tandem::fuzz
