#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

namespace tandem {

/// An array of unsigned bytes as IDX files hold it, row-major.
struct IdxArray {
  std::vector<std::uint32_t> dimensions;
  std::vector<std::uint8_t> values;
};

/// Reads an IDX file, gzipped or plain, that must have `rank` dimensions of unsigned bytes: 3 for
/// images, 1 for labels. Throws InputError with the file's path where it can't be read, is of
/// another kind, ends early, is damaged, or holds more than its header says.
IdxArray read_idx(const std::filesystem::path& file, int rank);

/// Reads the dimensions alone; `values` stays empty and the rest of the file unchecked.
IdxArray read_idx_header(const std::filesystem::path& file, int rank);

}  // namespace tandem
