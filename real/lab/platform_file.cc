#include "real/lab/platform_file.h"

#include <fmt/format.h>

#include "core/network/segments.h"

namespace tandem::lab {
namespace {

// A full Ethernet frame without preamble and check sequence, as the shaper counts it: a segment's
// payload, 20 bytes of IP, 32 of TCP with timestamps, 14 of Ethernet.
constexpr double kFrameBytes = static_cast<double>(kSegmentBytes) + 20 + 32 + 14;

constexpr const char* kComment =
    R"(<!-- Virtual hosts on one machine, made by `tandem lab up`.

     speed      SimGrid wants one. It is not used: the device profile gives all computing times.
     bandwidth  What TCP carries of the shaped rate: {} of a full frame's {} bytes.
     latency    25 us a host's link, so 50 us a message: a nominal figure for TCP between two
                processes of one machine. `tandem calibrate` measures it.
     processor  Of the machine's: what the host's ranks run on, the first where it is several.
                Hosts with the same share it.
     burst      What the shaper lets through at once after a rest, as TCP carries it.
     topology   The switch inside the machine has no limit of its own. -->
)";

double payload_of(double wire_bytes) {
  return wire_bytes * static_cast<double>(kSegmentBytes) / kFrameBytes;
}

/// A wire, a link each way.
std::string wire(const std::string& name, double rate, const char* latency) {
  std::string text;
  for (const char* way : {"UP", "DOWN"})
    text += fmt::format(
        "    <link id=\"{}_{}\" bandwidth=\"{:.9g}Bps\" latency=\"{}\"><prop id=\"burst\" "
        "value=\"{:.0f}\"/></link>\n",
        name, way, payload_of(rate), latency, payload_of(burst_bytes(rate)));
  return text;
}

std::string processor(const Lab& lab, int index) {
  const std::vector<int> own = processors_of(lab, index);
  return own.empty() ? "" : fmt::format("<prop id=\"processor\" value=\"{}\"/>", own.front());
}

std::string host(const Lab& lab, int index) {
  const std::string name = host_name(index);
  return fmt::format("    <host id=\"{}\" speed=\"1Gf\">{}</host>\n{}", name, processor(lab, index),
                     wire(link_of_host(index), lab.rates[index], "25us")) +
         fmt::format("    <host_link id=\"{0}\" up=\"{1}_UP\" down=\"{1}_DOWN\"/>\n", name,
                     link_of_host(index));
}

/// The hosts of one rack, or of a lab without racks.
std::string switched(const Lab& lab, const std::string& name, int rack) {
  std::string text = fmt::format("  <zone id=\"{}\" routing=\"Cluster\">\n", name);
  for (int i = 0; i < lab.hosts(); ++i) {
    if (lab.rack_of(i) == rack) text += host(lab, i);
  }
  if (lab.tree.racks > 0) text += fmt::format("    <router id=\"{}_router\"/>\n", name);
  return text + "  </zone>\n";
}

std::string route(int from, int to) {
  return fmt::format(
      "  <zoneRoute src=\"{0}\" dst=\"{1}\" gw_src=\"{0}_router\" gw_dst=\"{1}_router\" "
      "symmetrical=\"NO\">\n    <link_ctn id=\"{2}_UP\"/>"
      "<link_ctn id=\"{3}_DOWN\"/>\n  </zoneRoute>\n",
      rack_name(from), rack_name(to), uplink_of_rack(from), uplink_of_rack(to));
}

std::string tree(const Lab& lab) {
  std::string text = fmt::format("<zone id=\"{}\" routing=\"Full\">\n", lab.name);
  const int racks = lab.tree.racks;
  for (int rack = 0; rack < racks; ++rack) text += switched(lab, rack_name(rack), rack);
  for (int rack = 0; rack < racks; ++rack)
    text += wire(uplink_of_rack(rack), lab.tree.uplink, "0us");
  for (int from = 0; from < racks; ++from) {
    for (int to = 0; to < racks; ++to) {
      if (from != to) text += route(from, to);
    }
  }
  return text + "</zone>\n";
}

}  // namespace

std::string platform_xml(const Lab& lab) {
  return "<?xml version='1.0'?>\n"
         "<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n" +
         fmt::format(fmt::runtime(kComment), kSegmentBytes, kFrameBytes) +
         "<platform version=\"4.1\">\n" +
         (lab.tree.racks > 0 ? tree(lab) : switched(lab, lab.name, 0)) + "</platform>\n";
}

}  // namespace tandem::lab
