#include "core/command/work_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "core/base/atomic_file.h"
#include "core/base/error.h"

namespace tandem {
namespace {

namespace fs = std::filesystem;

void detach() {
  setsid();  // signals to the group of a job's rank don't reach us
  prctl(PR_SET_NAME, "tandem-remover");
  const int nothing = open("/dev/null", O_RDWR);
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) dup2(nothing, stream);
}

// Returns when the other side has written, or when all who hold it have ended.
void await(int line) {
  char told = 0;
  while (read(line, &told, 1) < 0 && errno == EINTR) continue;
}

}  // namespace

WorkFolder::WorkFolder(const fs::path& out)
    : out_(fs::absolute(out).lexically_normal()), missing_(out_) {
  require_writable_folder(out_);
  std::string name = (out_ / ".tandem-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr)
    throw InputError(
        fmt::format("{}: can't write in this folder: {}", out_.string(), std::strerror(errno)));
  path_ = name;
  start_remover();
}

WorkFolder::WorkFolder(const fs::path& out, const std::string& name)
    : out_(fs::absolute(out).lexically_normal()), missing_(out_) {
  require_writable_folder(out_ / name);
  path_ = out_ / name;
  start_remover();
}

WorkFolder::~WorkFolder() {
  [[maybe_unused]] const ssize_t told = write(line_, "", 1);
  close(line_);
  while (waitpid(remover_, nullptr, 0) < 0 && errno == EINTR) continue;
}

void WorkFolder::start_remover() {
  int ends[2];
  if (pipe(ends) == 0) remover_ = fork();
  if (remover_ < 0) {
    remove();
    throw RunError("can't start a process");
  }
  if (remover_ == 0) {
    close(ends[1]);
    detach();
    await(ends[0]);
    remove();
    _exit(0);
  }
  close(ends[0]);
  line_ = ends[1];
}

void WorkFolder::remove() const {
  std::error_code ignored;
  constexpr int kTries = 20;  // a rank that is being killed may still write
  for (int i = 0; i < kTries && fs::exists(path_, ignored); ++i) fs::remove_all(path_, ignored);
  missing_.remove_empty();
}

}  // namespace tandem
