#include "core/base/device_name.h"

#include <string_view>

namespace tandem {
namespace {

constexpr std::string_view kPaced = "paced:";

}  // namespace

bool is_paced(const std::string& device) {
  return device.starts_with(kPaced);
}

std::string profile_name(const std::string& device) {
  return is_paced(device) ? device.substr(kPaced.size()) : device;
}

}  // namespace tandem
