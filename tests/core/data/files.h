#pragma once

#include <zlib.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/base/random.h"

namespace tandem {

/// A folder that lives as long as the object.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "tandem-test-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
    path_ = name;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

  std::filesystem::path write(const std::string& name, const std::string& content) const {
    std::filesystem::path file = path_ / name;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary) << content;
    return file;
  }

  std::filesystem::path write_gzipped(const std::string& name, const std::string& content) const;

 private:
  std::filesystem::path path_;
};

inline std::string gzipped(const std::string& content) {
  const TemporaryFolder folder;
  const std::string file = (folder.path() / "packed").string();
  gzFile packed = gzopen(file.c_str(), "wb");
  gzwrite(packed, content.data(), static_cast<unsigned>(content.size()));
  gzclose(packed);
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

inline std::filesystem::path TemporaryFolder::write_gzipped(const std::string& name,
                                                            const std::string& content) const {
  return write(name, gzipped(content));
}

/// An IDX file of unsigned bytes.
inline std::string idx_bytes(const std::vector<std::uint32_t>& dimensions,
                             const std::vector<std::uint8_t>& values) {
  std::string bytes = {0, 0, 8, static_cast<char>(dimensions.size())};
  for (const std::uint32_t dimension : dimensions) {
    for (unsigned shift : {24U, 16U, 8U, 0U})
      bytes.push_back(static_cast<char>(dimension >> shift));
  }
  bytes.append(values.begin(), values.end());
  return bytes;
}

}  // namespace tandem
