#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/base/new_lines.h"
#include "core/base/seconds.h"

namespace tandem {

/// What happens in a job that others may have to go on with.
enum class JobMoment {
  kReads,     ///< its members begin to read the checkpoint that they go on from
  kBegins,    ///< they begin to train
  kIterates,  ///< an iteration has ended
  kWrites,    ///< they begin to write a checkpoint
  kWritten,   ///< it is complete
  kTests,     ///< they begin to test their accuracy
  kTested,    ///< and go on
  kFails,     ///< a member is ended or cut off by the scenario's faults
  kReturns,   ///< one that was cut off can be reached again
  kDisturbed  ///< the network is as the scenario's faults have it when training begins
};

struct JournalEntry {
  Seconds at = 0;  ///< since 1970
  JobMoment moment = JobMoment::kReads;
  int number = 0;        ///< iterations that are done; of kFails and kReturns the rank; else 0
  Seconds duration = 0;  ///< of kIterates: the iteration's

  /// Whether it is about one member, and nothing that the job has done.
  bool is_of_member() const { return moment == JobMoment::kFails || moment == JobMoment::kReturns; }
};

/// Seconds since 1970, which processes of a cluster agree on as well as their clocks are set.
Seconds time_since_1970();

/// A file to which the members of a job write what happens, a line each as it happens, and which
/// outlives them. A line that can't be written is lost, nothing else. Where it has no file it does
/// nothing.
class Journal {
 public:
  explicit Journal(std::filesystem::path file) : file_(std::move(file)) {}

  void note(JobMoment moment, int number, Seconds duration = 0) const;

  const std::filesystem::path& file() const { return file_; }

 private:
  std::filesystem::path file_;
};

/// Reads a journal while it is written.
class JournalReader {
 public:
  explicit JournalReader(std::filesystem::path file) : lines_(std::move(file)) {}

  /// What was written since the last call, in its order.
  std::vector<JournalEntry> read();

 private:
  NewLines lines_;
};

}  // namespace tandem
