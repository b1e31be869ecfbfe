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

std::string comment(const CalibratedPlatform& platform) {
  std::string text = fmt::format(
      "<!-- {}\n\n     One-way message times, half the median round trip, and the fit\n"
      "     seconds = {:.4g} + bytes / {:.5g}  (residual {:.1f} %, relative, root mean square):\n\n"
      "          bytes     measured s       fitted s\n",
      without_double_hyphens(platform.source), platform.fit.latency, platform.fit.bandwidth,
      100 * platform.fit.residual);
  for (const PingPongSample& sample : platform.samples) {
    const Seconds fitted =
        platform.fit.latency + static_cast<double>(sample.bytes) / platform.fit.bandwidth;
    text += fmt::format("     {:>10} {:>14.4e} {:>14.4e}\n", sample.bytes, sample.seconds, fitted);
  }
  return text + "-->\n";
}

std::string hosts(const CalibratedPlatform& platform) {
  std::string text;
  for (int i = 0; i < platform.hosts; ++i) {
    const std::string name = fmt::format("{}-{}", platform.host, i);
    text += fmt::format(
        "    <host id=\"{0}\" speed=\"{1:.6g}f\"><prop id=\"device\" value=\"{2}\"/></host>\n"
        "    <link id=\"{0}_link\" bandwidth=\"{3:.6g}Bps\" latency=\"{4:.6g}s\" "
        "sharing_policy=\"SPLITDUPLEX\"/>\n"
        "    <host_link id=\"{0}\" up=\"{0}_link_UP\" down=\"{0}_link_DOWN\"/>\n",
        name, platform.host_flops, platform.device, platform.fit.bandwidth,
        platform.fit.latency / 2);
  }
  return text;
}

}  // namespace

std::string platform_xml(const CalibratedPlatform& platform) {
  return "<?xml version='1.0'?>\n"
         "<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n" +
         comment(platform) + "<platform version=\"4.1\">\n" +
         fmt::format("  <zone id=\"{}\" routing=\"Cluster\">\n", platform.host) + hosts(platform) +
         "  </zone>\n</platform>\n";
}

}  // namespace tandem::mpi
