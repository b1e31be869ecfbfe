#include "core/command/process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <fstream>

#include "core/base/error.h"
#include "core/base/exec_words.h"
#include "core/base/interrupt.h"
#include "core/base/terminal.h"
#include "core/command/leftover_ranks.h"
#include "core/command/naps.h"

namespace tandem {
namespace {

using Clock = std::chrono::steady_clock;

void redirect(const char* file, int flags, int descriptor) {
  const int opened = open(file, flags, 0666);
  if (opened < 0) return;
  dup2(opened, descriptor);
  close(opened);
}

// What the child does between fork and exec; only calls that are safe there.
[[noreturn]] void become_child(char* const* words, const char* log, int errors) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) std::signal(signal, SIG_DFL);
  redirect("/dev/null", O_RDONLY, STDIN_FILENO);
  if (log != nullptr) {
    redirect(log, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, STDERR_FILENO);
    dup2(STDERR_FILENO, STDOUT_FILENO);
  }
  execvp(words[0], words);
  const int reason = errno;
  [[maybe_unused]] const ssize_t told = write(errors, &reason, sizeof reason);
  _exit(127);
}

ProcessEnd end_of(const std::string& program, int status) {
  const int signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  return {.exit_code = signal != 0 ? exit_code_of_signal(signal) : WEXITSTATUS(status),
          .signal = signal,
          .program = program};
}

}  // namespace

Process::Process(const std::vector<std::string>& command,
                 const std::optional<std::filesystem::path>& log)
    : program_(std::filesystem::path(command.front()).filename()) {
  const std::vector<char*> words = exec_words(command);
  int errors[2];  // tells why exec failed; closed by an exec that succeeds
  if (pipe2(errors, O_CLOEXEC) != 0) throw RunError("can't make a pipe");
  id_ = fork();
  if (id_ == 0) become_child(words.data(), log ? log->c_str() : nullptr, errors[1]);
  close(errors[1]);
  int reason = 0;
  const bool failed = id_ < 0 || read(errors[0], &reason, sizeof reason) > 0;
  close(errors[0]);
  if (!failed) return;
  if (id_ > 0) waitpid(id_, nullptr, 0);
  throw InputError(
      fmt::format("can't start {}: {}", command.front(), std::strerror(id_ < 0 ? EAGAIN : reason)));
}

Process::~Process() {
  if (!end_) terminate();
}

std::optional<ProcessEnd> Process::poll() {
  int status = 0;
  if (end_ || waitpid(id_, &status, WNOHANG) != id_) return end_;
  end_ = end_of(program_, status);
  if (folder_of_ranks_) kill_ranks_in(*folder_of_ranks_);
  return end_;
}

ProcessEnd Process::wait(const std::function<void()>& tick) {
  for (Naps naps; !poll(); naps.take()) {
    if (interrupted() != 0) return terminate();
    if (tick) tick();
  }
  return *end_;
}

void Process::ask_to_end() {
  if (end_ || asked_) return;
  kill(-id_, SIGTERM);  // once: at a second one mpirun leaves its ranks behind
  asked_ = true;
}

ProcessEnd Process::terminate() {
  ask_to_end();
  const Clock::time_point deadline = Clock::now() + patience_;
  for (Naps naps; !poll() && Clock::now() < deadline; naps.take()) continue;
  kill(-id_, SIGKILL);  // what is left of the group, also where its leader has ended
  for (Naps naps; !poll(); naps.take()) continue;
  return *end_;
}

void become(const std::vector<std::string>& command) {
  execvp(command.front().c_str(), exec_words(command).data());
  throw InputError(fmt::format("can't start {}: {}", command.front(), std::strerror(errno)));
}

std::string shell_text(const std::vector<std::string>& command) {
  constexpr const char* kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:,@%";
  std::string text;
  for (const std::string& word : command) {
    if (!text.empty()) text += ' ';
    if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) {
      text += word;
      continue;
    }
    text += '\'';
    for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
    text += '\'';
  }
  return text;
}

void print_command(const std::vector<std::string>& command) {
  std::vector<std::string> words = {"$"};
  for (const std::string& word : command) words.push_back(shell_text({word}));
  const std::size_t columns = terminal_columns(STDOUT_FILENO);
  const std::string line_end = " \\\n    ";  // a shell goes on in the next
  const std::size_t taken = line_end.size();
  fmt::print("{}\n", columns <= taken ? fmt::format("{}", fmt::join(words, " "))
                                      : wrapped(words, columns - taken, line_end));
  std::fflush(stdout);
}

std::vector<std::string> command_words(const std::string& process) {
  std::ifstream in("/proc/" + process + "/cmdline");
  std::vector<std::string> words;
  for (std::string word; std::getline(in, word, '\0');) words.push_back(word);
  return words;
}

std::string command_of(const std::string& process) {
  return shell_text(command_words(process));
}

}  // namespace tandem
