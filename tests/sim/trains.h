#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <regex>
#include <string>
#include <vector>

#include "core/base/atomic_file.h"
#include "tests/sim/forked_engine.h"

namespace tandem {

/// The platform `trains` with another calibration, and hosts that share a processor; it lasts as
/// long as this.
class Calibrated {
 public:
  /// Hosts that share a processor; links of all hosts but the last with another burst.
  explicit Calibrated(const std::string& calibration, const std::vector<std::string>& sharing = {},
                      const std::string& burst = "10000")
      : folder_(std::filesystem::path(testing::TempDir()) /
                fmt::format("trains_{}_{}", getpid(), ++made)) {
    std::filesystem::create_directories(folder_);
    std::string platform = read_file(test_platform("trains"));
    for (const std::string& host : sharing) {
      const std::string alone = fmt::format("<host id=\"{}\" speed=\"1Gf\"", host);
      platform.replace(platform.find(alone + "/>"), alone.size() + 2,
                       alone + "><prop id=\"processor\" value=\"0\"/></host>");
    }
    const std::string usual = "\"10000\"";
    for (std::size_t at = 0; (at = platform.find(usual, at)) < platform.find("<host id=\"d\"");
         at += burst.size())
      platform.replace(at, usual.size(), '"' + burst + '"');
    write_file_atomically(folder_ / "trains.xml", platform);
    write_file_atomically(folder_ / "trains.yaml", "source: made up\n" + calibration);
  }
  ~Calibrated() { std::filesystem::remove_all(folder_); }
  Calibrated(const Calibrated&) = delete;
  Calibrated& operator=(const Calibrated&) = delete;

  std::string name() const { return (folder_ / "trains").string(); }

  /// Gives both links of one host another burst.
  void set_burst(const std::string& host, const std::string& burst) {
    const std::filesystem::path file = folder_ / "trains.xml";
    const std::regex links("(<link id=\"" + host + "_[^>]*><prop id=\"burst\" value=\")[^\"]*");
    write_file_atomically(file, std::regex_replace(read_file(file), links, "$01" + burst));
  }

 private:
  static inline int made = 0;
  std::filesystem::path folder_;
};

/// Where nothing is sent unasked.
inline constexpr const char* kAsked = "train_bytes: 10000\nwindow_bytes: 35000\n";

/// A message that both of its sides post at `at`.
struct Sent {
  int source, destination;
  std::size_t bytes;
  Seconds at = 0;
};

/// When each arrives. On platforms of trains of 10,000 B, and of bursts of one, which links of
/// 100 MB/s let through every 100 us; those of rank 3 every 200 us. A message takes 20 us more.
inline std::vector<Seconds> arrivals(const std::vector<Sent>& messages,
                                     const std::string& platform = "trains",
                                     bool by_trains = true) {
  JobOptions options = exact();
  options.by_trains = by_trains;
  std::vector<Seconds> values =
      run_job(platform, 4, options, [&](Worker& worker, std::span<double> arrived) {
        const int rank = worker.group().rank;
        std::vector<Buffer> buffers;
        std::vector<Handle> sends, receives;
        std::vector<int> numbers;
        for (int i = 0; i < std::ssize(messages); ++i) {
          const Sent& message = messages[i];
          if (rank != message.source && rank != message.destination) continue;
          if (message.at > worker.now()) pass(worker, message.at - worker.now());
          buffers.push_back(worker.allocate(message.bytes, DType::kByte));
          const View view = buffers.back().view();
          if (rank == message.source) {
            sends.push_back(worker.send(message.destination, i, view));
          } else {
            receives.push_back(worker.receive(message.source, i, view));
            numbers.push_back(i);
          }
        }
        while (!receives.empty()) {
          const std::size_t first = worker.wait_any(receives)->index;
          arrived[numbers[first]] = worker.now();
          receives.erase(receives.begin() + static_cast<std::ptrdiff_t>(first));
          numbers.erase(numbers.begin() + static_cast<std::ptrdiff_t>(first));
        }
        wait_all(worker, sends);
      });
  values.resize(messages.size());
  return values;
}

inline constexpr Seconds kClose = 1e-9;

}  // namespace tandem
