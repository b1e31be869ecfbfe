#include "core/data/input_file.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "core/base/atomic_file.h"
#include "core/base/error.h"

namespace tandem {

/// Read through zlib, which passes on plain files as they are.
struct InputFile::Stream {
  explicit Stream(gzFile file) : file(file) {}
  ~Stream() { gzclose(file); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  gzFile file;
};

InputFile::InputFile(const std::filesystem::path& path) : path_(path) {
  require_file(path);
  errno = 0;
  gzFile file = gzopen(path.c_str(), "rb");
  if (file == nullptr) {
    fail(fmt::format("can't be opened: {}", std::strerror(errno ? errno : ENOMEM)));
  }
  stream_ = std::make_unique<Stream>(file);
  gzbuffer(file, 1U << 17U);
}

InputFile::~InputFile() = default;

std::size_t InputFile::read(std::uint8_t* destination, std::size_t count) {
  std::size_t total = 0;
  while (total < count) {
    const auto step = static_cast<unsigned>(std::min<std::size_t>(count - total, 1U << 20U));
    const int got = gzread(stream_->file, destination + total, step);
    if (got <= 0) break;
    total += static_cast<std::size_t>(got);
  }
  check();
  return total;
}

std::vector<std::uint8_t> InputFile::read_rest() {
  constexpr std::size_t kStep = 1U << 20U;
  std::vector<std::uint8_t> bytes;
  std::size_t size = 0;
  while (true) {
    bytes.resize(size + kStep);
    const std::size_t got = read(bytes.data() + size, kStep);
    size += got;
    if (got == kStep) continue;
    bytes.resize(size);
    return bytes;
  }
}

void InputFile::fail(const std::string& what) const {
  throw InputError(fmt::format("{}: {}", path_.string(), what));
}

void InputFile::check() const {
  int code = Z_OK;
  const char* message = gzerror(stream_->file, &code);
  if (code == Z_OK || code == Z_STREAM_END) return;
  if (code == Z_BUF_ERROR) fail("is truncated: its gzip stream ends early; get the file anew");
  if (code == Z_ERRNO) fail(fmt::format("can't be read: {}", std::strerror(errno)));
  fail(fmt::format("is damaged ({}); get the file anew", message));
}

}  // namespace tandem
