#pragma once

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace tandem::onnx {

/// A file of a test's own, removed at its end.
class MadeFile {
 public:
  explicit MadeFile(const std::string& bytes)
      : path_(std::filesystem::temp_directory_path() /
              ("tandem_onnx_" + std::to_string(getpid()) + ".onnx")) {
    std::ofstream(path_, std::ios::binary) << bytes;
  }
  MadeFile(const MadeFile&) = delete;
  MadeFile& operator=(const MadeFile&) = delete;
  ~MadeFile() { std::filesystem::remove(path_); }

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace tandem::onnx
