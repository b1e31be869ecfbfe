#pragma once

#include "real/lab/lab.h"

namespace tandem::lab {

/// The network of every lab. Labs have nothing in common, so that all can use the same addresses.
inline constexpr const char* kSubnet = "10.99.0.0/24";

/// Makes the namespaces of a lab and the wires between them. One more namespace, the switch, holds
/// the bridges; nothing is made or changed in the machine's own. Each wire is shaped where it
/// leaves a host and where it leaves the switch. Throws InputError where this machine can't.
void wire(const Lab& lab);

/// Ends what runs in a lab's namespaces and removes them, whether they are whole or not.
void unwire(const std::string& name);

}  // namespace tandem::lab
