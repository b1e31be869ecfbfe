#pragma once

#include <string>

namespace tandem {

// A device is named by its profile, "k80". "paced:k80" is the same for a simulation, and for a real
// run a device that waits for the profile's times where others compute.

/// Whether a real run on the device waits instead of computing.
bool is_paced(const std::string& device);

/// The name of the device's profile: "k80" for both.
std::string profile_name(const std::string& device);

}  // namespace tandem
