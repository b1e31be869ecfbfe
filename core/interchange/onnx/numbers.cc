#include "core/interchange/onnx/numbers.h"

#include <bit>
#include <cstring>

namespace tandem::onnx {
namespace {

static_assert(std::endian::native == std::endian::little, "raw_data is little-endian");

enum class DataType {
  kFloat = 1,
  kInt32 = 6,
  kInt64 = 7,
  kBool = 9,
  kFloat16 = 10,
  kDouble = 11,
  kBFloat16 = 16
};

std::size_t bytes_of(std::int64_t type) {
  switch (static_cast<DataType>(type)) {
    case DataType::kBool:
      return 1;
    case DataType::kFloat:
    case DataType::kInt32:
      return 4;
    case DataType::kInt64:
    case DataType::kDouble:
      return 8;
    default:
      return 0;
  }
}

template <typename Number>
double number_at(const char* bytes) {
  Number number;
  std::memcpy(&number, bytes, sizeof number);
  return static_cast<double>(number);
}

double number_at(const char* bytes, std::int64_t type) {
  switch (static_cast<DataType>(type)) {
    case DataType::kFloat:
      return number_at<float>(bytes);
    case DataType::kDouble:
      return number_at<double>(bytes);
    case DataType::kInt32:
      return number_at<std::int32_t>(bytes);
    case DataType::kInt64:
      return number_at<std::int64_t>(bytes);
    default:
      return number_at<std::int8_t>(bytes);
  }
}

}  // namespace

bool is_real(std::int64_t type) {
  return type == int(DataType::kFloat) || type == int(DataType::kFloat16) ||
         type == int(DataType::kDouble) || type == int(DataType::kBFloat16);
}

std::vector<double> raw_numbers(std::string_view raw, std::int64_t type) {
  std::vector<double> numbers;
  const std::size_t size = bytes_of(type);
  if (size == 0 || raw.size() > kMostNumbers * size) return numbers;
  for (std::size_t i = 0; i + size <= raw.size(); i += size)
    numbers.push_back(number_at(raw.data() + i, type));
  return numbers;
}

std::optional<std::size_t> few_elements(const std::vector<std::int64_t>& dims) {
  std::size_t elements = 1;
  for (const std::int64_t dim : dims) {
    if (dim < 0 || std::size_t(dim) > kMostNumbers) return std::nullopt;
    elements *= dim;
    if (elements > kMostNumbers) return std::nullopt;
  }
  return elements;
}

}  // namespace tandem::onnx
