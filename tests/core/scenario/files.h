#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/scenario/scenario.h"

namespace tandem {

/// A scenario that says no more than it has to.
inline const std::string kShort = "model: mnist_cnn\nbatch_size: 32\niterations: 5\n";

/// One that is right, of four lines.
inline const std::string kRight =
    "model: mnist_cnn\ndata: fashion_mnist\nbatch_size: 32\niterations: 5\n";

/// A scenario file that goes with the object.
class TemporaryScenario {
 public:
  explicit TemporaryScenario(const std::string& content) {
    std::string name = testing::UnitTest::GetInstance()->current_test_info()->name();
    std::ranges::replace(name, '/', '_');  // of a test with parameters
    path_ = testing::TempDir() + name + ".yaml";
    std::ofstream(path_) << content;
  }
  TemporaryScenario(const TemporaryScenario&) = delete;
  TemporaryScenario& operator=(const TemporaryScenario&) = delete;
  ~TemporaryScenario() { std::filesystem::remove(path_); }

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

/// As --set gives them.
inline std::vector<Override> sets(const std::vector<std::string>& texts) {
  std::vector<Override> overrides;
  for (const std::string& text : texts) overrides.push_back(Override::set(text));
  return overrides;
}

inline ScenarioFile load_text(const std::string& content,
                              const std::vector<std::string>& overrides = {}) {
  const TemporaryScenario file(content);
  return load_scenario(file.path(), sets(overrides));
}

/// The error that loading ends with, "FILE" standing for the file's path.
inline std::string error_of(const std::string& content,
                            const std::vector<std::string>& overrides = {}) {
  const TemporaryScenario file(content);
  try {
    load_scenario(file.path(), sets(overrides));
  } catch (const InputError& error) {
    std::string message = error.what();
    if (const auto at = message.find(file.path()); at != std::string::npos)
      message.replace(at, file.path().size(), "FILE");
    return message;
  }
  return "no error";
}

}  // namespace tandem
