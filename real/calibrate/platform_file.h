#pragma once

#include <string>
#include <vector>

#include "real/calibrate/ping_pong.h"

namespace tandem::mpi {

/// What a calibrated platform file says.
struct CalibratedPlatform {
  std::string host;  ///< hosts are HOST-0, HOST-1, ...
  int hosts = 1;
  double host_flops = 1;
  std::string device;
  std::string source;  ///< how and where this was measured, one line
  std::vector<PingPongSample> samples;
  LinkFit fit;
};

/// A SimGrid platform (XML, version 4.1): a star whose hosts reach each other over two split-duplex
/// links of the fitted bandwidth and half the fitted latency each. The samples stand in a comment.
std::string platform_xml(const CalibratedPlatform& platform);

}  // namespace tandem::mpi
