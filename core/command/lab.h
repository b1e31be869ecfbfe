#pragma once

#include <filesystem>
#include <string>

namespace tandem {

/// Where tandem-lab keeps what it knows of the labs that are up: NAME.json, and NAME.xml, the
/// platform to simulate on. It goes with a restart of the machine, as the labs do.
inline constexpr const char* kLabFolder = "/run/tandem-lab";

/// The lab that is meant where none is named: $TANDEM_LAB, else "lab".
std::string default_lab();

/// The platform of a lab. Throws InputError, saying how to make one, where it is not up.
std::filesystem::path lab_platform(const std::string& name);

}  // namespace tandem
