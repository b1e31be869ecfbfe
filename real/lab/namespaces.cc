#include "real/lab/namespaces.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/magic.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <optional>
#include <thread>

#include "core/base/error.h"
#include "core/base/exec_words.h"
#include "core/base/interrupt.h"
#include "core/base/main.h"
#include "core/command/process.h"

namespace tandem::lab {
namespace {

namespace fs = std::filesystem;

const fs::path kNamespaces = "/run/netns";  // where ip keeps them

/// What a command prints, in memory: nothing stays of it, even where we are killed.
class Output {
 public:
  Output() : descriptor_(memfd_create("tandem-lab", MFD_CLOEXEC)) {
    if (descriptor_ < 0)
      throw RunError(fmt::format("can't keep what a command prints: {}", std::strerror(errno)));
  }
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;
  ~Output() { close(descriptor_); }

  int descriptor() const { return descriptor_; }

  std::string text() const {
    std::string all;
    char part[4096];
    ssize_t bytes = 0;
    while ((bytes = pread(descriptor_, part, sizeof part, static_cast<off_t>(all.size()))) > 0)
      all.append(part, static_cast<std::size_t>(bytes));
    return all;
  }

 private:
  int descriptor_;
};

std::vector<std::string> all_namespaces() {
  std::vector<std::string> names;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(kNamespaces, none))
    names.push_back(entry.path().filename());
  return names;
}

/// The lab of a namespace with a name by namespace_of(); empty where it is none of ours.
std::string lab_of(const std::string& name) {
  const std::size_t begin = name.find('-') + 1, end = name.rfind('-');
  if (begin == 0 || end < begin) return "";
  const std::string lab = name.substr(begin, end - begin), part = name.substr(end + 1);
  const bool is_host = part.size() > 1 && part[0] == 'h' &&
                       part.find_first_not_of("0123456789", 1) == std::string::npos;
  return namespace_of(lab, part) == name && (is_host || part == "net") ? lab : "";
}

struct Identity {
  dev_t device = 0;
  ino_t inode = 0;
  bool operator==(const Identity&) const = default;
};

std::optional<Identity> identity(const fs::path& file) {
  struct stat status {};
  if (stat(file.c_str(), &status) != 0) return std::nullopt;
  return Identity{status.st_dev, status.st_ino};
}

std::vector<pid_t> processes_in(const std::vector<std::string>& names) {
  std::vector<Identity> wanted;
  for (const std::string& name : names) {
    if (const auto id = identity(kNamespaces / name)) wanted.push_back(*id);
  }
  std::vector<pid_t> processes;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator("/proc", none)) {
    const std::string id = entry.path().filename();
    if (id.find_first_not_of("0123456789") != std::string::npos) continue;
    const auto in = identity(entry.path() / "ns" / "net");
    if (in && std::ranges::count(wanted, *in) > 0) processes.push_back(std::stoi(id));
  }
  return processes;
}

/// Runs a command in a process group of its own, so that Ctrl-C lets it finish.
int exit_code_of(const std::vector<std::string>& command, const Output& output) {
  const std::vector<char*> words = exec_words(command);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, output.descriptor(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&files, STDOUT_FILENO, STDERR_FILENO);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  pid_t id = 0;
  const int error = posix_spawnp(&id, words[0], &files, &attributes, words.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  posix_spawnattr_destroy(&attributes);
  if (error != 0)
    throw InputError(
        fmt::format("can't start {}: {}; a lab takes ip and tc, from the package "
                    "iproute2",
                    command.front(), std::strerror(error)));
  int status = 0;
  while (waitpid(id, &status, 0) < 0 && errno == EINTR) continue;
  return WIFEXITED(status) ? WEXITSTATUS(status) : exit_code_of_signal(WTERMSIG(status));
}

[[noreturn]] void refuse(const std::string& what) {
  throw InputError(fmt::format("{}: {}", what, std::strerror(errno)));
}

}  // namespace

std::string namespace_of(const std::string& lab, const std::string& part) {
  return fmt::format("tdm-{}-{}", lab, part);
}

std::vector<std::string> namespaces_of(const std::string& lab) {
  std::vector<std::string> names;
  for (const std::string& name : all_namespaces()) {
    if (lab_of(name) == lab) names.push_back(name);
  }
  return names;
}

std::vector<std::string> labs_with_namespaces() {
  std::vector<std::string> labs;
  for (const std::string& name : all_namespaces()) {
    const std::string lab = lab_of(name);
    if (!lab.empty() && std::ranges::count(labs, lab) == 0) labs.push_back(lab);
  }
  std::ranges::sort(labs);
  return labs;
}

bool is_alive(const std::string& name) {
  struct statfs status {};
  return statfs((kNamespaces / name).c_str(), &status) == 0 && status.f_type == NSFS_MAGIC;
}

bool enter_network(const std::string& name) {
  const int file = open((kNamespaces / name).c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  const bool entered = setns(file, CLONE_NEWNET) == 0;
  close(file);
  return entered;
}

void enter(const std::string& name, const std::string& host_name) {
  if (!enter_network(name)) refuse("can't enter network namespace " + name);
  // Open MPI tells hosts by their names, and launches on more than four fail where all are alike.
  if (unshare(CLONE_NEWUTS) != 0 || sethostname(host_name.data(), host_name.size()) != 0)
    refuse("can't take the host name " + host_name);
}

void end_processes(const std::vector<std::string>& names) {
  constexpr std::chrono::milliseconds kPause{20};
  constexpr int kPatience = 100;  // pauses before SIGKILL
  for (int pause = 0;; ++pause) {
    const std::vector<pid_t> processes = processes_in(names);
    if (processes.empty()) return;
    if (pause == 0 || pause >= kPatience) {
      for (const pid_t process : processes) kill(process, pause == 0 ? SIGTERM : SIGKILL);
    }
    if (pause > 2 * kPatience) return;  // what not even SIGKILL ends is stuck in the kernel
    std::this_thread::sleep_for(kPause);
  }
}

void run_tool(const std::vector<std::string>& command) {
  const Output output;
  const int code = exit_code_of(command, output);
  if (code == 0) return;
  throw InputError(fmt::format("a lab's network can't be changed here: {}: {}", shell_text(command),
                               one_line(output.text())));
}

}  // namespace tandem::lab
