#include "real/lab/wiring.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/base/error.h"
#include "core/command/interrupt.h"
#include "real/lab/namespaces.h"

namespace tandem::lab {
namespace {

/// The queue before it, deep enough for several senders to one host.
constexpr const char* kQueue = "100ms";

// ip -n NAMESPACE ...
void ip(const std::string& in, std::vector<std::string> words) {
  words.insert(words.begin(), {"ip", "-n", in});
  run_tool(words);
}

// Token bucket, for what leaves through `device`.
void shape(const std::string& in, const std::string& device, double rate) {
  ip(in, {"link", "set", "dev", device, "gso_max_size",
          fmt::format("{}", std::llround(train_bytes(rate)))});
  run_tool({"tc", "-n", in, "qdisc", "add", "dev", device, "root", "tbf", "rate",
            fmt::format("{}bit", std::llround(8 * rate)), "burst",
            fmt::format("{}", std::llround(burst_bytes(rate))), "latency", kQueue});
}

// With the same congestion control on every machine, the one that all kernels have, and without
// IPv6, whose greetings would be counted as traffic.
void make_namespace(const std::string& name) {
  run_tool({"ip", "netns", "add", name});
  run_tool({"ip", "netns", "exec", name, "sh", "-c",
            "cd /proc/sys/net && echo reno >ipv4/tcp_congestion_control && "
            "if [ -d ipv6 ]; then echo 1 >ipv6/conf/default/disable_ipv6; fi"});
  ip(name, {"link", "set", "lo", "up"});
}

// What a connection may have in its host's queue: as much as any other, so that those that leave by
// one wire share it alike. By itself the kernel gives the faster one more, and so makes it faster.
void share_alike(const std::string& in, double rate) {
  run_tool({"ip", "netns", "exec", in, "sh", "-c",
            fmt::format("cd /proc/sys/net/ipv4 && if [ -f tcp_limit_output_bytes ]; then "
                        "echo {} >tcp_limit_output_bytes; fi",
                        std::llround(2 * train_bytes(rate)))});
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
    shape(switch_, up, lab_.tree.uplink);
    shape(switch_, down, lab_.tree.uplink);
  }

  void add_host(int host) {
    stop_where_interrupted();
    const std::string name = host_name(host), in = namespace_of(lab_.name, name);
    make_namespace(in);
    ip(switch_, {"link", "add", "name", name, "type", "veth", "peer", "name", "eth0", "netns", in});
    plug(name, bridge_of(lab_.rack_of(host)));
    ip(in, {"addr", "add", fmt::format("10.99.0.{}/24", host + 1), "dev", "eth0"});
    ip(in, {"link", "set", "eth0", "up"});
    shape(in, "eth0", lab_.rates[host]);
    share_alike(in, lab_.rates[host]);
    shape(switch_, name, lab_.rates[host]);
  }

  const Lab& lab_;
  std::string switch_;
};

}  // namespace

void wire(const Lab& lab) {
  try {
    Wiring(lab).run();
  } catch (...) {
    unwire(lab.name);
    throw;
  }
}

// A wire goes with the namespace that holds one of its ends.
void unwire(const std::string& name) {
  const std::vector<std::string> names = namespaces_of(name);
  end_processes(names);
  for (const std::string& one : names) run_tool({"ip", "netns", "del", one});
}

}  // namespace tandem::lab
