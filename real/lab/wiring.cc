#include "real/lab/wiring.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/base/error.h"
#include "core/base/interrupt.h"
#include "core/network/segments.h"
#include "real/lab/namespaces.h"

namespace tandem::lab {
namespace {

/// Bytes that wait for a wire at most: more than all windows of its connections together, so that
/// no wire loses anything. What a connection does after losses takes seconds, and depends on which
/// it lost.
constexpr const char* kQueue = "4000000000";

// ip -n NAMESPACE ...
void ip(const std::string& in, std::vector<std::string> words) {
  words.insert(words.begin(), {"ip", "-n", in});
  run_tool(words);
}

// Token bucket, for what leaves through the end's device. The slowest that the kernel has lets a
// byte a second through: faults together may ask for less.
void set_bucket(const WireEnd& end, const char* verb, double rate) {
  constexpr double kSlowest = 1, kFastest = 1e18;
  run_tool({"tc", "-n", end.in, "qdisc", verb, "dev", end.device, "root", "tbf", "rate",
            fmt::format("{}bit", std::llround(8 * std::clamp(rate, kSlowest, kFastest))), "burst",
            fmt::format("{}", std::llround(burst_bytes(end.rate))), "limit", kQueue});
}

/// Of the largest train of whole segments, whatever the kernel takes off for headers: where it
/// takes less, no further one fits.
std::size_t gso_max_size(double rate) {
  return whole_segments(static_cast<std::size_t>(train_bytes(rate))) + kTrainHeaderBytes;
}

void shape(const WireEnd& end) {
  ip(end.in,
     {"link", "set", "dev", end.device, "gso_max_size", fmt::format("{}", gso_max_size(end.rate))});
  set_bucket(end, "add", end.rate);
}

// With the same congestion control on every machine, the one that all kernels have, and without
// IPv6, whose greetings would be counted as traffic.
void make_namespace(const std::string& name) {
  run_tool({"ip", "netns", "add", name});
  const std::string settings =
      "cd /proc/sys/net && echo reno >ipv4/tcp_congestion_control && "
      "if [ -d ipv6 ]; then echo 1 >ipv6/conf/default/disable_ipv6; fi";
  run_tool({"ip", "netns", "exec", name, "sh", "-c", settings});
  ip(name, {"link", "set", "lo", "up"});
}

// What a connection may have in its host's queue, and under way to it: as much as any other, so
// that those that leave by one wire, or come by one, share it alike. By itself the kernel gives the
// faster one more, and so makes it faster, and lets each have ever more under way. No more than a
// millisecond of a connection's pacing rate is queued either, which is a ratio of its congestion
// window a round trip (Linux, tcp_small_queue_check()): with the largest ratio the windows, which
// differ by how each grew, make no difference for some ten connections a wire. One that has rested
// begins as it was.
void share_alike(const std::string& in, double rate) {
  constexpr int kTrainsQueued = 2, kTrainsUnderWay = 4;
  constexpr const char* kLargestRatio = "1000";  // percent
  const long window = std::llround(kTrainsUnderWay * train_bytes(rate));
  const auto setting = [](const char* file, const std::string& value) {
    return fmt::format("if [ -f {0} ]; then echo {1} >{0}; fi", file, value);
  };
  run_tool({"ip", "netns", "exec", in, "sh", "-c",
            fmt::format("cd /proc/sys/net/ipv4 && {} && {} && {} && {} && {} && {}",
                        setting("tcp_limit_output_bytes",
                                fmt::format("{}", std::llround(kTrainsQueued * train_bytes(rate)))),
                        setting("tcp_pacing_ss_ratio", kLargestRatio),
                        setting("tcp_pacing_ca_ratio", kLargestRatio),
                        setting("tcp_rmem", fmt::format("4096 {0} {0}", window)),
                        setting("tcp_slow_start_after_idle", "0"),
                        setting("tcp_no_metrics_save", "1"))});
}

void stop_where_interrupted() {
  if (interrupted() != 0) throw RunError("interrupted; the lab was not made");
}

class Wiring {
 public:
  explicit Wiring(const Lab& lab) : lab_(lab), switch_(namespace_of(lab.name, "net")) {}

  void run() {
    make_namespace(switch_);
    add_bridge("core");
    ip(switch_, {"addr", "add", "10.99.0.254/24", "dev", "core"});
    for (int rack = 0; rack < lab_.tree.racks; ++rack) add_rack(rack);
    for (int host = 0; host < lab_.hosts(); ++host) add_host(host);
    for (const WireEnd& end : wire_ends(lab_)) {
      stop_where_interrupted();
      shape(end);
    }
  }

 private:
  std::string bridge_of(int rack) const {
    return lab_.tree.racks > 0 ? fmt::format("rack{}", rack + 1) : "core";
  }

  void add_bridge(const std::string& name) {
    ip(switch_, {"link", "add", "name", name, "type", "bridge"});
    ip(switch_, {"link", "set", name, "up"});
  }

  void plug(const std::string& device, const std::string& bridge) {
    ip(switch_, {"link", "set", device, "master", bridge, "up"});
  }

  void add_rack(int rack) {
    const std::string up = fmt::format("up{}", rack + 1), down = fmt::format("down{}", rack + 1);
    add_bridge(bridge_of(rack));
    ip(switch_, {"link", "add", "name", up, "type", "veth", "peer", "name", down});
    plug(up, bridge_of(rack));
    plug(down, "core");
  }

  void add_host(int host) {
    stop_where_interrupted();
    const std::string name = host_name(host), in = namespace_of(lab_.name, name);
    make_namespace(in);
    ip(switch_, {"link", "add", "name", name, "type", "veth", "peer", "name", "eth0", "netns", in});
    plug(name, bridge_of(lab_.rack_of(host)));
    ip(in, {"addr", "add", address_text(host) + "/24", "dev", "eth0"});
    ip(in, {"link", "set", "eth0", "up"});
    share_alike(in, lab_.rates[host]);
  }

  const Lab& lab_;
  std::string switch_;
};

}  // namespace

std::string address_text(int host) {
  return fmt::format("10.99.0.{}", host + 1);
}

std::vector<WireEnd> wire_ends(const Lab& lab) {
  const std::string hub = namespace_of(lab.name, "net");
  std::vector<WireEnd> ends;
  for (int host = 0; host < lab.hosts(); ++host) {
    const std::string name = host_name(host), link = link_of_host(host);
    ends.push_back({link + "_UP", namespace_of(lab.name, name), "eth0", lab.rates[host]});
    ends.push_back({link + "_DOWN", hub, name, lab.rates[host]});
  }
  for (int rack = 0; rack < lab.tree.racks; ++rack) {
    const std::string link = uplink_of_rack(rack);
    ends.push_back({link + "_UP", hub, fmt::format("up{}", rack + 1), lab.tree.uplink});
    ends.push_back({link + "_DOWN", hub, fmt::format("down{}", rack + 1), lab.tree.uplink});
  }
  return ends;
}

void set_rate(const WireEnd& end, double rate) {
  set_bucket(end, "change", rate);
}

// As a port of the switch that forwards nothing: neither side sees its wire down.
void set_reachable(const Lab& lab, int host, bool reachable) {
  run_tool({"bridge", "-n", namespace_of(lab.name, "net"), "link", "set", "dev", host_name(host),
            "state", reachable ? "3" : "0"});
}

void wire(const Lab& lab) {
  try {
    Wiring(lab).run();
  } catch (...) {
    try {
      unwire(lab.name);
    } catch (const InputError&) {  // why it could not be made says more
    }
    throw;
  }
}

// A wire goes with the namespace that holds one of its ends.
void unwire(const std::string& name) {
  const std::vector<std::string> names = namespaces_of(name);
  end_processes(names);
  std::exception_ptr first;
  for (const std::string& one : names) {
    try {
      run_tool({"ip", "netns", "del", one});
    } catch (const InputError&) {  // the others are to go all the same
      if (!first) first = std::current_exception();
    }
  }
  if (first) std::rethrow_exception(first);
}

}  // namespace tandem::lab
