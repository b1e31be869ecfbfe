#pragma once

#include <string>

#include "core/network/message_costs.h"

namespace tandem::mpi {

/// What a calibrated platform file says.
struct CalibratedPlatform {
  std::string host;  ///< hosts are HOST-0, HOST-1, ...
  int hosts = 1;
  double host_flops = 1;
  std::string device;
  std::string source;       ///< how and where this was measured, one line
  NominalLink link;         ///< between two hosts
  std::string calibration;  ///< the file with what messages cost besides, beside this one
};

/// A SimGrid platform (XML, version 4.1): a star whose hosts reach each other over two split-duplex
/// links of the link's bandwidth and half its latency each.
std::string platform_xml(const CalibratedPlatform& platform);

}  // namespace tandem::mpi
