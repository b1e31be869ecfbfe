#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace tandem::onnx {

/// Shapes and scalars have no more; what has is a weight, whose numbers are left alone.
inline constexpr std::size_t kMostNumbers = 64;

/// Whether a tensor of ONNX's data type holds floating-point numbers.
bool is_real(std::int64_t type);

/// The numbers of a tensor's raw_data; none where they are many, or of a type that no shape or
/// scalar has.
std::vector<double> raw_numbers(std::string_view raw, std::int64_t type);

/// Elements of a tensor, or nothing where they are more than kMostNumbers.
std::optional<std::size_t> few_elements(const std::vector<std::int64_t>& dims);

}  // namespace tandem::onnx
