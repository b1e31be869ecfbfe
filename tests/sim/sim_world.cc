#include "tests/conformance/world.h"
#include "tests/sim/forked_engine.h"

namespace tandem {
namespace {

/// A simulated job of a star, with payload, in a process of its own.
class SimWorld final : public World {
 public:
  bool supports(int ranks) const override { return ranks <= 64; }
  void run(int ranks, const std::function<void(Worker&)>& member,
           const std::vector<int>& hosts) override {
    JobOptions options;
    options.depth = Depth::kPayload;
    options.executor = ExecutorKind::kExact;
    options.hosts = hosts;
    options.devices.assign(ranks,
                           {[](const Kernel& kernel, int) { return kernel.flops / 1e9; },
                            [](std::size_t bytes) { return static_cast<double>(bytes) / 1e10; }});
    run_job("star", ranks, options, [&](Worker& worker, std::span<double>) { member(worker); });
  }
};

}  // namespace

std::unique_ptr<World> make_world() {
  return std::make_unique<SimWorld>();
}

}  // namespace tandem
