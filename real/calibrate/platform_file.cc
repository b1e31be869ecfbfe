#include "real/calibrate/platform_file.h"

#include <fmt/format.h>

namespace tandem::mpi {
namespace {

/// Two hyphens in a row would end an XML comment.
std::string without_double_hyphens(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c != '-' || !result.ends_with('-')) result += c;
  }
  return result;
}

std::string hosts(const CalibratedPlatform& platform) {
  std::string text;
  const std::string device =
      platform.device.empty() ? ""
                              : fmt::format("<prop id=\"device\" value=\"{}\"/>", platform.device);
  for (int i = 0; i < platform.hosts; ++i) {
    const std::string name = fmt::format("{}-{}", platform.host, i);
    text += fmt::format(
        "    <host id=\"{0}\" speed=\"{1:.6g}f\">{2}</host>\n"
        "    <link id=\"{0}_link\" bandwidth=\"{3:.6g}Bps\" latency=\"{4:.6g}s\" "
        "sharing_policy=\"SPLITDUPLEX\"/>\n"
        "    <host_link id=\"{0}\" up=\"{0}_link_UP\" down=\"{0}_link_DOWN\"/>\n",
        name, platform.host_flops, device, platform.link.bandwidth, platform.link.latency / 2);
  }
  return text;
}

}  // namespace

std::string platform_xml(const CalibratedPlatform& platform) {
  return "<?xml version='1.0'?>\n"
         "<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n" +
         fmt::format("<!-- {} -->\n", without_double_hyphens(platform.source)) +
         "<platform version=\"4.1\">\n" +
         fmt::format(
             "  <zone id=\"{}\" routing=\"Cluster\">\n    <prop id=\"calibration\" "
             "value=\"{}\"/>\n",
             platform.host, platform.calibration) +
         hosts(platform) + "  </zone>\n</platform>\n";
}

}  // namespace tandem::mpi
