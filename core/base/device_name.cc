#include "core/base/device_name.h"

#include <fmt/format.h>

namespace tandem {

std::string with_factor(const std::string& device, double factor) {
  return factor == 1 ? device : fmt::format("{} x{}", device, factor);
}

}  // namespace tandem
