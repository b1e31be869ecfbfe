#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "real/lab/lab.h"

namespace tandem::lab {

// The labs of this machine, kept in files (core/command/lab.h) beside their namespaces.

/// A file that is there while the network of a lab is not as it was made, locked by who disturbs
/// it.
std::filesystem::path disturbance_mark(const std::string& name);

/// Throws InputError where this user is not root, who alone can make a lab and run in one.
void require_root();

/// Makes a lab and writes down what it is; what a crash left of one of that name goes first. Throws
/// InputError where one of that name is up, or this machine or user can make none.
void bring_up(const Lab& lab);

/// Throws InputError where there is neither a lab of that name nor what is left over of one.
void require_known(const std::string& name);

/// Takes a lab down, whole or left over, and ends what runs in it. Throws InputError where nothing
/// is left of a lab of that name.
void take_down(const std::string& name);

/// Every lab of which there is anything.
std::vector<std::string> lab_names();

/// The lab of that name; nothing where it is not up, or not whole.
std::optional<Lab> find_lab(const std::string& name);

/// The same; throws InputError where find_lab() has nothing.
Lab require_lab(const std::string& name);

}  // namespace tandem::lab
