#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace tandem {

/// The running executable's folder; its siblings are the other programs.
std::filesystem::path executable_folder();

/// The folder that holds platforms/, scenarios/ and analysis/: $TANDEM_HOME, else
/// <executable folder>/../share/tandem, else the nearest parent of the executable that holds
/// platforms/ and scenarios/. Throws InputError where there is none.
std::filesystem::path home_folder();

/// Names of the files NAME.extension in <home>/folder, sorted; extension as in "xml".
std::vector<std::string> resource_names(const std::string& folder, const std::string& extension);

/// The file of a resource: `name` itself where it is a path of an existing file, else
/// <home>/folder/NAME.extension. Throws InputError with the nearest name, of those and of `others`,
/// which would do as well.
std::filesystem::path find_resource(const std::string& folder, const std::string& name,
                                    const std::string& extension,
                                    const std::vector<std::string>& others = {});

/// The profile of a device: NAME.yaml in devices/ beside the platform's file, else as
/// find_resource() in platforms/devices, and a near name in either is suggested.
/// core/base/device_name.h says how devices are named.
std::filesystem::path find_device(const std::filesystem::path& platform, const std::string& name,
                                  const std::vector<std::string>& others = {});

}  // namespace tandem
