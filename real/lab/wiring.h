#pragma once

#include <string>
#include <vector>

#include "real/lab/lab.h"

namespace tandem::lab {

/// The network of every lab. Labs have nothing in common, so that all can use the same addresses.
inline constexpr const char* kSubnet = "10.99.0.0/24";

/// Of a host in it: "10.99.0.3" for host 2.
std::string address_text(int host);

/// Makes the namespaces of a lab and the wires between them. One more namespace, the switch, holds
/// the bridges; nothing is made or changed in the machine's own. Each wire is shaped where it
/// leaves a host and where it leaves the switch. Throws InputError where this machine can't.
void wire(const Lab& lab);

/// One way of a wire: where it is shaped.
struct WireEnd {
  std::string link;    ///< as the lab's platform calls it: "h3_link_UP"
  std::string in;      ///< network namespace
  std::string device;  ///< in it
  double rate = 0;     ///< bytes/s, as Lab::rates
};

std::vector<WireEnd> wire_ends(const Lab& lab);

/// Shapes it anew, with the burst and the queue that it has.
void set_rate(const WireEnd& end, double rate);

/// Whether the switch passes on what comes from a host, and what is meant for it.
void set_reachable(const Lab& lab, int host, bool reachable);

/// Ends what runs in a lab's namespaces and removes them, whether they are whole or not.
void unwire(const std::string& name);

}  // namespace tandem::lab
