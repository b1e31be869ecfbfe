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

std::string reason() {
  return std::strerror(errno);
}

fs::path folder_of(const fs::path& file) {
  return file.has_parent_path() ? file.parent_path() : fs::path(".");
}

// What somebody knows of `file`: where that is in a folder that is not there for long, what this
// is in.
fs::path known_part(const fs::path& file) {
  fs::path known;
  for (const fs::path& part : file) {
    if (part.native().starts_with(kUnfinishedPrefix)) return known.empty() ? "." : known;
    known /= part;
  }
  return known;
}

// A new file of a name of its own in `folder`; removed again unless it has been renamed. Where it
// can't be written, `named` is said to be what can't.
class TemporaryFile {
 public:
  TemporaryFile(const fs::path& folder, const fs::path& named) : named_(known_part(named)) {
    std::error_code error;
    made_folder_ = fs::create_directories(folder, error);
    if (error)
      throw InputError(
          fmt::format("{}: can't make this folder: {}", folder.string(), error.message()));
    name_ = (folder / kUnfinishedPrefix).string() + "XXXXXX";
    descriptor_ = ::mkostemp(name_.data(), O_CLOEXEC);
    if (descriptor_ < 0)
      throw InputError(
          fmt::format("{}: can't write in this folder: {}", folder.string(), reason()));
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

  [[noreturn]] void fail() const {
    throw RunError(fmt::format("{}: can't write: {}", named_.string(), reason()));
  }

  fs::path named_;
  std::string name_;
  int descriptor_ = -1;
  bool renamed_ = false;
  bool made_folder_ = false;
};

}  // namespace

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

std::string read_file(const fs::path& file) {
  std::error_code ignored;  // which reading it will tell of
  if (fs::is_directory(file, ignored))
    throw InputError(fmt::format("{}: this is a folder; give a file", file.string()));
  std::ifstream in(file, std::ios::binary);
  if (!in) throw InputError(fmt::format("{}: can't read this file: {}", file.string(), reason()));
  std::ostringstream content;
  content << in.rdbuf();
  return std::move(content).str();
}

}  // namespace tandem
