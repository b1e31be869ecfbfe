#include "core/command/work_folder.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <vector>

#include "core/base/atomic_file.h"
#include "core/base/error.h"
#include "core/base/pidfd.h"
#include "core/command/leftover_ranks.h"

namespace tandem {
namespace {

namespace fs = std::filesystem;

// Keeps `line` alone, as standard input: what else we hold of the command's, such as its claim to
// the output folder, ends with the command.
void detach(int line) {
  setsid();  // signals to the group of a job's rank don't reach us
  prctl(PR_SET_NAME, "tandem-remover");
  dup2(line, STDIN_FILENO);
  const int nothing = open("/dev/null", O_RDWR);
  for (const int stream : {STDOUT_FILENO, STDERR_FILENO}) dup2(nothing, stream);
  close_range(STDERR_FILENO + 1, ~0U, 0);
}

// Until the other side of the line has written, or all who hold it have ended: the `command`, our
// parent, and where that was killed those of its children that hold it too. They are told to end
// then. Where `kills_ranks`, those in the folder that don't, or keep others from it, are killed in
// the end: nobody else would find them.
void await_end(pid_t command, const fs::path& folder, bool kills_ranks) {
  // More than what all take that end a job in an orderly way, each of those who started it.
  constexpr int kPatience = 10'000;  // ms
  pollfd ends[] = {{.fd = STDIN_FILENO, .events = POLLIN, .revents = 0},
                   {.fd = pidfd_open(command, 0), .events = POLLIN, .revents = 0}};
  while (poll(ends, 2, -1) < 0) continue;  // interrupted
  for (int ended = 0; (ended = poll(ends, 1, kills_ranks ? kPatience : -1)) <= 0;)
    if (ended == 0) kill_ranks_in(folder);
}

}  // namespace

WorkFolder::WorkFolder() : out_(fs::temp_directory_path()), missing_(out_) {
  make();
}

WorkFolder::WorkFolder(const fs::path& out, Sharing sharing)
    : out_(fs::absolute(out).lexically_normal()), missing_(out_) {
  FolderClaim::require_none_around(out_);
  claim_ = FolderClaim(out_, sharing);
  require_writable_folder(out_);
  if (sharing == Sharing::kAlone && claim_.holds()) remove_left_over();
  make();
}

WorkFolder::WorkFolder(const fs::path& out, const std::string& name)
    : out_(fs::absolute(out).lexically_normal()), missing_(out_) {
  FolderClaim::require_none_around(out_);
  claim_ = FolderClaim(out_, Sharing::kAlone);
  require_writable_folder(out_ / name);
  path_ = out_ / name;
  start_remover(false);  // another job's may work there by then, under the same name
}

void WorkFolder::make() {
  std::string name = (out_ / kWorkFolderPrefix).string() + "XXXXXX";
  if (mkdtemp(name.data()) == nullptr) fail_to_write(out_, "can't write in this folder", errno);
  path_ = name;
  start_remover(true);
}

void WorkFolder::remove_left_over() const {
  std::vector<fs::path> left_over;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(out_, ignored))
    if (entry.path().filename().string().starts_with(kUnfinishedPrefix))
      left_over.push_back(entry.path());
  for (const fs::path& path : left_over) fs::remove_all(path, ignored);
}

WorkFolder::~WorkFolder() {
  claim_.release();
  [[maybe_unused]] const ssize_t told = write(line_, "", 1);
  close(line_);
  while (waitpid(remover_, nullptr, 0) < 0 && errno == EINTR) continue;
}

void WorkFolder::start_remover(bool kills_ranks) {
  const pid_t command = getpid();
  int ends[2];
  if (pipe(ends) == 0) remover_ = fork();
  if (remover_ < 0) {
    claim_.release();
    remove();
    throw RunError("can't start a process");
  }
  if (remover_ == 0) {
    try {
      detach(ends[0]);
      await_end(command, path_, kills_ranks);
      remove();
    } catch (...) {  // must not unwind what is the command's
    }
    _exit(0);
  }
  close(ends[0]);
  line_ = ends[1];
}

void WorkFolder::remove() const {
  std::error_code ignored;
  constexpr int kTries = 20;  // a rank that is being killed may still write
  for (int i = 0; i < kTries && fs::exists(path_, ignored); ++i) fs::remove_all(path_, ignored);
  if (missing_.empty()) return;
  try {
    const FolderClaim claim(out_, Sharing::kAlone);
    missing_.remove_empty();
  } catch (const InputError&) {  // another command works there by now
  }
}

}  // namespace tandem
