#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tandem {

/// How a process ended.
struct ProcessEnd {
  int exit_code = 0;  ///< 128 + signal where a signal ended it
  int signal = 0;     ///< 0 where it exited
  std::string program = "the process";
};

/// A child in a process group of its own, so that Ctrl-C reaches this process alone, which ends its
/// child in an orderly way. The child is told to end where this process dies or the object does.
class Process {
 public:
  /// Starts `command`; its stdout and stderr go to `log`, or where this process's go without one.
  /// Throws InputError where the program can't be started.
  Process(const std::vector<std::string>& command, const std::optional<std::filesystem::path>& log);
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;
  ~Process();

  /// How long a child that was asked to end may take for it.
  void set_patience(std::chrono::seconds patience) { patience_ = patience; }
  /// Once the child has ended, ranks on this machine that still work in that folder are killed.
  void set_folder_of_ranks(std::filesystem::path folder) { folder_of_ranks_ = std::move(folder); }

  /// Waits for the end, calling `tick` several times a second meanwhile. Where this process is
  /// interrupted, ends the child first.
  ProcessEnd wait(const std::function<void()>& tick = {});

  /// How it ended; nothing where it goes on.
  std::optional<ProcessEnd> poll();
  /// SIGTERM to the group, without waiting for the end.
  void ask_to_end();
  /// The same, and SIGKILL to what is left of it when patience is over.
  ProcessEnd terminate();

 private:
  pid_t id_;
  std::string program_;
  std::chrono::seconds patience_{5};  // mpirun gives its ranks one between SIGTERM and SIGKILL
  bool asked_ = false;                ///< to end
  std::optional<std::filesystem::path> folder_of_ranks_;
  std::optional<ProcessEnd> end_;
};

/// Replaces this process by the program, which is looked for on PATH where its name has no '/'.
/// Throws InputError where it can't be started.
[[noreturn]] void become(const std::vector<std::string>& command);

/// The command as one can type it: words with blanks or other special characters are quoted.
std::string shell_text(const std::vector<std::string>& command);

/// Shows the command as shell_text() after a "$"; on a terminal in lines that can be typed so.
void print_command(const std::vector<std::string>& command);

/// The words of a running process' command line, by its number or "self"; none where there is none
/// to be read.
std::vector<std::string> command_words(const std::string& process);

/// The same for a shell.
std::string command_of(const std::string& process);

}  // namespace tandem
