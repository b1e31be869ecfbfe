#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

namespace tandem {

// A device is named by its profile, "k80". "paced:k80" is the same for a simulation, and for a real
// run a device that waits for the profile's times where others compute. What a real run computes on
// has a name of its own, which need be no profile's: the first of these, unless told otherwise.

inline constexpr std::array<std::string_view, 2> kComputingDevices = {"cpu", "cuda"};

/// Whether a real run computes on the device of that name.
inline bool is_computing(std::string_view device) {
  return std::ranges::find(kComputingDevices, device) != kComputingDevices.end();
}

/// Whether it is beside the processor: it goes on while its process sleeps, and can exchange with
/// others of its kind.
inline bool is_accelerator(std::string_view device) {
  return is_computing(device) && device != kComputingDevices.front();
}

inline constexpr std::string_view kPacedPrefix = "paced:";

/// Whether a real run on the device waits instead of computing.
inline bool is_paced(const std::string& device) {
  return device.starts_with(kPacedPrefix);
}

/// What results call a device that is `factor` times as fast as the one of that name: "k80 x2".
std::string with_factor(const std::string& device, double factor);

/// The name of the device's profile: "k80" for both.
inline std::string profile_name(const std::string& device) {
  return is_paced(device) ? device.substr(kPacedPrefix.size()) : device;
}

}  // namespace tandem
