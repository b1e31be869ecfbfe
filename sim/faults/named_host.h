#pragma once

#include <string>

#include "sim/engine.h"

namespace tandem {

/// The host of that name. Throws InputError with the nearest name, and the key `key`, where the
/// platform has none.
simgrid::s4u::Host* host_called(const Engine& engine, const std::string& name,
                                const std::string& key);

}  // namespace tandem
