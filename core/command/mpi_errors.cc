#include "core/command/mpi_errors.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <optional>
#include <regex>
#include <sstream>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/base/main.h"

namespace tandem {
namespace {

constexpr const char* kOwnPrefix = "tandem: error: ";
constexpr const char* kTooFewSlots = "fewer slots than the";

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

bool is_frame(const std::string& line) {
  return line.starts_with("--------");
}
bool is_blank(const std::string& line) {
  return line.find_first_not_of(" \t\r") == std::string::npos;
}

std::optional<std::string> own_line(const std::vector<std::string>& lines) {
  for (const std::string& line : lines) {
    if (const auto at = line.find(kOwnPrefix); at != std::string::npos)
      return line.substr(at + std::string(kOwnPrefix).size());
  }
  return std::nullopt;
}

// "[0.000000] file.cpp:112: [root/CRITICAL] Failed to protect stack: ...", and a backtrace.
std::optional<std::string> simgrid_line(const std::vector<std::string>& lines) {
  constexpr std::string_view kLevel = "/CRITICAL] ";
  for (const std::string& line : lines) {
    if (const auto at = line.find(kLevel); at != std::string::npos)
      return line.substr(at + kLevel.size());
  }
  return std::nullopt;
}

// Open MPI: "mpirun noticed that process rank 1 with PID 0 on node x exited on signal 9 (Killed).",
// in which 5.0 breaks the line at some word.
// Slurm: "srun: error: node1: task 1: Killed".
std::optional<std::string> killed_rank(const std::string& text) {
  static const std::regex kOpenMpi(R"(process rank (\d+) with[\s\S]*?on\s+signal (\d+ \([^)]*\)))");
  static const std::regex kSlurm(R"(task (\d+): (Killed|Terminated|Segmentation fault|Aborted))");
  std::smatch match;
  if (std::regex_search(text, match, kOpenMpi))
    return fmt::format("rank {} was killed by signal {}", match[1].str(), match[2].str());
  if (std::regex_search(text, match, kSlurm))
    return fmt::format("rank {} ended: {}", match[1].str(), match[2].str());
  return std::nullopt;
}

// Of a message of killed_rank()'s, or of PeerLost's.
std::optional<LostRank> lost_rank(const std::string& message) {
  static const std::regex kLost(R"(^rank (\d{1,9}) (was killed.*|ended.*|was lost))");
  std::smatch match;
  if (!std::regex_match(message, match, kLost)) return std::nullopt;
  return LostRank{std::stoi(match[1]), match[2]};
}

// The first paragraph between two frames of dashes.
std::optional<std::string> framed(const std::vector<std::string>& lines) {
  auto line = lines.begin();
  while (line != lines.end() && !is_frame(*line)) ++line;
  if (line == lines.end()) return std::nullopt;
  std::string paragraph;
  for (++line; line != lines.end() && !is_frame(*line); ++line) {
    if (is_blank(*line) && !paragraph.empty()) break;
    if (!is_blank(*line)) paragraph += *line + "\n";
  }
  if (paragraph.empty()) return std::nullopt;
  return one_line(paragraph);
}

std::string trimmed(std::string text) {
  text = one_line(text);
  while (!text.empty() && (text.back() == ' ' || text.back() == ':')) text.pop_back();
  return text;
}

std::string content_of(const std::filesystem::path& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

// Open MPI, before it starts any rank: "There are not enough slots available in the system to
// satisfy the 4 slots that were requested by the application".
std::optional<std::string> too_few_slots(const std::string& text) {
  static const std::regex kOpenMpi(R"(not enough slots available[\s\S]*?satisfy the (\d+))");
  std::smatch match;
  if (!std::regex_search(text, match, kOpenMpi)) return std::nullopt;
  return fmt::format(
      "the hosts have {} {} ranks; add hosts or slots=N to the hostfile, or take "
      "fewer workers",
      kTooFewSlots, match[1].str());
}

// Open MPI, which says itself why where it is ssh that fails: "ssh: connect to host a port 22: No
// route to host", then in a frame "ORTE was unable to reliably start one or more daemons" and what
// that may come from in general.
std::optional<std::string> unreachable_host(const std::vector<std::string>& lines) {
  const auto told = std::ranges::find_if(lines, [](const std::string& line) {
    return line.find("unable to reliably start one or more daemons") != std::string::npos;
  });
  if (told == lines.end()) return std::nullopt;
  std::string why;
  bool is_framed = false;  // as a warning of something else
  for (auto line = lines.begin(); line != told; ++line) {
    if (is_frame(*line)) is_framed = !is_framed;
    if (!is_framed && !is_blank(*line) && !is_frame(*line)) why = ": " + one_line(*line);
  }
  return fmt::format(
      "a host can't be reached{}; each needs ssh without a password, and Open MPI as it is here",
      why);
}

bool has_room(const std::filesystem::path& folder) {
  constexpr std::uintmax_t kPage = 4096;
  std::error_code unknown;
  const std::filesystem::space_info space = std::filesystem::space(folder, unknown);
  return unknown || space.available >= kPage;
}

std::string_view why_silent(const std::string& program, const std::filesystem::path& folder) {
  if (!has_room(folder)) return ", since no space is left on the disk of its result";
  return program == "tandem-lab" ? ", as where its lab is taken down meanwhile" : "";
}

}  // namespace

std::string launcher_message(const std::string& output) {
  const std::vector<std::string> lines = lines_of(output);
  if (const auto own = own_line(lines)) return trimmed(*own);
  if (const auto simgrid = simgrid_line(lines)) return trimmed(*simgrid);
  if (const auto killed = killed_rank(output)) return *killed;
  if (const auto slots = too_few_slots(output)) return *slots;
  if (const auto host = unreachable_host(lines)) return *host;
  if (const auto paragraph = framed(lines)) return trimmed(*paragraph);
  const auto says_more = [](const std::string& line) {  // than how to be helped, as an mpirun does
    return !is_blank(line) && !line.starts_with("Type '");
  };
  for (auto line = lines.rbegin(); line != lines.rend(); ++line)
    if (says_more(*line)) return trimmed(*line);
  return "";
}

JobFailure job_failure(const ProcessEnd& end, const std::filesystem::path& error_file,
                       const std::filesystem::path& log) {
  std::string message = trimmed(content_of(error_file));
  if (message.empty()) message = launcher_message(content_of(log));
  const bool bad_input =
      message.find(kTooFewSlots) != std::string::npos ||
      (end.exit_code == kExitBadInput && !message.empty());  // a silent launcher means its own
  if (message.empty() && end.signal != 0)
    message = fmt::format("{} was killed by signal {}", end.program, end.signal);
  if (message.empty())
    message = fmt::format("{} ended with code {} and said nothing{}", end.program, end.exit_code,
                          why_silent(end.program, log.parent_path()));
  return {message, bad_input ? kExitBadInput : kExitRunFailed, lost_rank(message)};
}

}  // namespace tandem
