#include "core/base/atomic_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <sstream>
#include <utility>

#include "core/base/error.h"

namespace tandem {
namespace {

namespace fs = std::filesystem;

// Which can only be read by changing it: before there are threads, whose files it would be that of.
const mode_t kMask = [] {
  const mode_t mask = ::umask(0);
  ::umask(mask);
  return mask;
}();

constexpr const char* kNotInFolder = "can't write in this folder";

std::string reason() {
  return std::strerror(errno);
}

/// Of what ran out or broke, which is nobody's input.
bool is_of_disk(int error) {
  return error == ENOSPC || error == EDQUOT || error == EFBIG || error == EIO;
}

fs::path folder_of(const fs::path& file) {
  return file.has_parent_path() ? file.parent_path() : fs::path(".");
}

// The folder that holds the work folder that `file` is in; empty where it is in none.
fs::path around_work(const fs::path& file) {
  fs::path around;
  for (const fs::path& part : file) {
    if (part.native().starts_with(kWorkFolderPrefix)) return around.empty() ? "." : around;
    around /= part;
  }
  return {};
}

// A new file of a name of its own in `folder`; removed again unless it has been renamed. `asked` is
// what is said not to be writable where the disk is full.
class TemporaryFile {
 public:
  TemporaryFile(const fs::path& folder, const fs::path& asked) : asked_(asked) {
    std::error_code error;
    made_folder_ = fs::create_directories(folder, error);
    if (error) fail(folder, "can't make this folder", error.value());
    name_ = (folder / kUnfinishedPrefix).string() + "XXXXXX";
    descriptor_ = ::mkostemp(name_.data(), O_CLOEXEC);
    if (descriptor_ < 0) fail(folder, kNotInFolder, errno);
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() {
    if (descriptor_ >= 0) ::close(descriptor_);
    if (!renamed_) ::unlink(name_.c_str());
  }

  void write(std::span<const std::byte> content) {
    for (std::size_t done = 0; done < content.size();) {
      const ssize_t written = ::write(descriptor_, content.data() + done, content.size() - done);
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) fail();
      done += static_cast<std::size_t>(written);
    }
  }

  void rename_to(const fs::path& file) {
    // mkostemp() makes files private; a result is as readable as any other file.
    if (::fchmod(descriptor_, 0666 & ~kMask) != 0 || ::fsync(descriptor_) != 0) fail();
    const int descriptor = std::exchange(descriptor_, -1);
    if (::close(descriptor) != 0 || ::rename(name_.c_str(), file.c_str()) != 0) fail();
    renamed_ = true;
    keep_names_in(folder_of(file));
    if (made_folder_) keep_names_in(folder_of(folder_of(file)));
  }

 private:
  // So that the new name too outlasts a loss of power; not every file system can.
  static void keep_names_in(const fs::path& folder) {
    const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor < 0) return;
    ::fsync(descriptor);
    ::close(descriptor);
  }

  [[noreturn]] void fail() const { fail_to_write(asked_, "can't write", errno); }
  [[noreturn]] void fail(const fs::path& folder, const char* problem, int error) const {
    if (is_of_disk(error)) fail_to_write(asked_, "can't write", error);
    fail_to_write(folder, problem, error);
  }

  fs::path asked_;
  std::string name_;
  int descriptor_ = -1;
  bool renamed_ = false;
  bool made_folder_ = false;
};

}  // namespace

void fail_to_write(const fs::path& asked, const char* problem, int error) {
  const fs::path around = around_work(asked);
  const std::string text =
      fmt::format("{}: {}: {}", (around.empty() ? asked : around).string(),
                  around.empty() ? problem : kNotInFolder, std::strerror(error));
  if (is_of_disk(error)) throw RunError(text);
  throw InputError(text);
}

void write_file_atomically(const fs::path& file,
                           std::span<const std::span<const std::byte>> contents) {
  TemporaryFile temporary(folder_of(file), file);
  for (const std::span<const std::byte> content : contents) temporary.write(content);
  temporary.rename_to(file);
}

void write_file_atomically(const fs::path& file, const std::string& content) {
  const std::span<const std::byte> all[] = {std::as_bytes(std::span(content))};
  write_file_atomically(file, all);
}

void require_writable_folder(const fs::path& folder) {
  TemporaryFile probe(folder, folder);
}

void require_file(const fs::path& file) {
  std::error_code ignored;  // which reading it will tell of
  if (fs::is_directory(file, ignored))
    throw InputError(fmt::format("{}: this is a folder; give a file", file.string()));
  if (fs::is_other(file, ignored))
    throw InputError(
        fmt::format("{}: this is a device, a pipe or a socket; give a file", file.string()));
}

std::string read_file(const fs::path& file) {
  require_file(file);
  std::ifstream in(file, std::ios::binary);
  if (!in) throw InputError(fmt::format("{}: can't read this file: {}", file.string(), reason()));
  std::ostringstream content;
  content << in.rdbuf();
  return std::move(content).str();
}

}  // namespace tandem
