#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "core/base/lock_file.h"

namespace tandem {

/// Where tandem-lab keeps what it knows of the labs that are up: NAME.json, and NAME.xml, the
/// platform to simulate on. It goes with a restart of the machine, as the labs do.
inline constexpr const char* kLabFolder = "/run/tandem-lab";

/// Set, to the lab's name, for processes that were launched on the hosts of a lab.
inline constexpr const char* kInLabVariable = "TANDEM_IN_LAB";

/// The lab that is meant where none is named: $TANDEM_LAB, else "lab".
std::string default_lab();

/// Where the platform of a lab is while it is up.
std::filesystem::path lab_platform_file(const std::string& name);

/// The platform of a lab. Throws InputError, saying how to make one, where it is not up.
std::filesystem::path lab_platform(const std::string& name);

/// What commands that work in a lab lock.
std::filesystem::path lab_use_file(const std::string& name);

/// A command's work in a lab, if it is in any, for as long as it lives. Others may work there too.
class LabUse {
 public:
  explicit LabUse(const std::optional<std::string>& lab);
  /// Ends it, and says on stderr where another command worked there when it began, or does so now.
  void end();

 private:
  std::optional<std::string> lab_;
  bool had_others_ = false;
  LockFile lock_;
};

/// The first host after a lab's first that shares a processor with it, counted from 0; nothing
/// where none does. `platform` is the text of the lab's.
std::optional<int> shares_with_first_host(const std::string& platform);

/// The text of a lab's platform, rates and all, with the file of a calibration named in its
/// outermost zone, and the device in each host where one was measured and so isn't empty.
std::string calibrated_platform(std::string platform, const std::string& calibration,
                                const std::string& device);

/// The id of the first host or link of a lab, whose own platform is the text `of_lab`, that
/// `platform` has not just so; nothing where it has all. Calibrations and devices make no
/// difference.
std::optional<std::string> unlike_lab(const std::string& platform, const std::string& of_lab);

}  // namespace tandem
