#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace tandem {

/// The host of each slot of a hostfile, as Open MPI fills them: "NAME slots=N", one where it says
/// nothing. Throws InputError where it can't be read or names no host.
std::vector<std::string> slots_of(const std::filesystem::path& hostfile);

}  // namespace tandem
