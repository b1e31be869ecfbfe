#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace tandem {

/// Reads a text file while others write to its end.
class NewLines {
 public:
  explicit NewLines(std::filesystem::path file) : file_(std::move(file)) {}

  /// What was written since the last call, in its order: whole lines alone. None where there is no
  /// such file yet.
  std::vector<std::string> read();

 private:
  std::filesystem::path file_;
  std::size_t read_ = 0;  ///< bytes
};

}  // namespace tandem
