#pragma once

#include <string>
#include <string_view>

namespace tandem {

// A device is named by its profile, "k80". "paced:k80" is the same for a simulation, and for a real
// run a device that waits for the profile's times where others compute.

inline constexpr std::string_view kPacedPrefix = "paced:";

/// Whether a real run on the device waits instead of computing.
inline bool is_paced(const std::string& device) {
  return device.starts_with(kPacedPrefix);
}

/// The name of the device's profile: "k80" for both.
inline std::string profile_name(const std::string& device) {
  return is_paced(device) ? device.substr(kPacedPrefix.size()) : device;
}

}  // namespace tandem
