#include "core/data/idx.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "core/data/input_file.h"

namespace tandem {
namespace {

std::uint32_t read_big_endian(InputFile& file) {
  std::uint8_t bytes[4];
  if (file.read(bytes, 4) != 4) file.fail("is truncated: it ends within its header");
  return std::uint32_t{bytes[0]} << 24U | std::uint32_t{bytes[1]} << 16U |
         std::uint32_t{bytes[2]} << 8U | std::uint32_t{bytes[3]};
}

std::vector<std::uint32_t> read_dimensions(InputFile& file, int rank) {
  constexpr std::uint32_t kUnsignedByte = 0x08;
  const std::uint32_t expected = kUnsignedByte << 8U | static_cast<std::uint32_t>(rank);
  const std::uint32_t magic = read_big_endian(file);
  if (magic != expected) {
    file.fail(fmt::format("is no IDX file of {}: it begins with 0x{:08x}, not 0x{:08x}",
                          rank == 1 ? "labels" : "images", magic, expected));
  }
  std::vector<std::uint32_t> dimensions;
  for (int i = 0; i < rank; ++i) dimensions.push_back(read_big_endian(file));
  return dimensions;
}

std::uint64_t count_values(const InputFile& file, const std::vector<std::uint32_t>& dimensions) {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 40U;  // a terabyte: surely a damaged header
  std::uint64_t count = 1;
  for (const std::uint32_t dimension : dimensions) {
    if (dimension == 0) file.fail("holds nothing: its header says that a dimension is 0");
    if (dimension > std::numeric_limits<std::int32_t>::max())
      file.fail(fmt::format("has a damaged header: it tells of a dimension of {}", dimension));
    count *= dimension;
    if (count > kMost) file.fail("has a damaged header: it tells of more than a terabyte");
  }
  return count;
}

// Grows as data comes, so a damaged header can't ask for all memory.
std::vector<std::uint8_t> read_values(InputFile& file, std::uint64_t count) {
  constexpr std::uint64_t kStep = 1U << 20U;
  std::vector<std::uint8_t> values;
  while (values.size() < count) {
    const std::size_t begin = values.size();
    const std::size_t step = std::min(kStep, count - begin);
    values.resize(begin + step);
    const std::size_t got = file.read(values.data() + begin, step);
    if (got < step) {
      file.fail(fmt::format("is truncated: it holds {} of the {} values that its header says",
                            begin + got, count));
    }
  }
  return values;
}

}  // namespace

IdxArray read_idx(const std::filesystem::path& file, int rank) {
  InputFile input(file);
  IdxArray array;
  array.dimensions = read_dimensions(input, rank);
  array.values = read_values(input, count_values(input, array.dimensions));
  std::uint8_t next = 0;  // reading on also makes zlib check the sum at the end
  if (input.read(&next, 1) != 0) input.fail("holds more values than its header says");
  return array;
}

IdxArray read_idx_header(const std::filesystem::path& file, int rank) {
  InputFile input(file);
  IdxArray array;
  array.dimensions = read_dimensions(input, rank);
  count_values(input, array.dimensions);
  return array;
}

}  // namespace tandem
