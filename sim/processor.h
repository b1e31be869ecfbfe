#pragma once

#include <string>

#include "sim/simgrid_compat.h"

namespace tandem {

/// What hosts of one machine share: a host's property `processor`, else empty.
std::string processor_of(const simgrid::s4u::Host& host);

}  // namespace tandem
