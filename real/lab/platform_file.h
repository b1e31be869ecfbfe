#pragma once

#include <string>

#include "real/lab/lab.h"

namespace tandem::lab {

/// A SimGrid platform (XML, version 4.1) of a lab, from what it was asked to be: nothing in it is
/// measured on this machine. The device is the scenario's, or that of --device.
std::string platform_xml(const Lab& lab);

}  // namespace tandem::lab
