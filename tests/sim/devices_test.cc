// What a kernel takes in an iteration, by a test platform's devices.

#include "sim/devices.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "core/model/zoo.h"
#include "tests/sim/forked_engine.h"

namespace tandem {
namespace {

TEST(MemberDevices, ComputingTimesAreDrawnOnceAnIteration) {
  in_good_child([] {
    const Engine engine(test_platform("star"), Depth::kSizes);
    const LayerGraph graph = build_model("mnist_cnn");
    const NoiseSpec noise{.distribution = "lognormal", .sigma = 0.5};
    const std::vector<MemberDevice> devices =
        member_devices(engine, {{.name = "test"}, {.name = "test"}}, 1, graph, 32, 1, noise);
    const MemberDevice& device = devices[0];
    const MemberDevice& server = devices[1];
    Kernel input{.phase = Phase::kForward, .name = "any", .body = {}};
    input.layer = 1;
    const Seconds outside = device.kernel_time(input, -1), first = device.kernel_time(input, 0);
    EXPECT_NE(first, outside);
    EXPECT_EQ(device.kernel_time(input, 0), first) << "its next pass";
    EXPECT_NE(device.kernel_time(input, 1), first);
    EXPECT_EQ(server.kernel_time(input, 1), server.kernel_time(input, 0)) << "servers don't vary";
  });
}

// Of ten iterations of a profile's own spread one is in each tenth of it.
TEST(MemberDevices, MeasuredIterationsAreDrawnEvenly) {
  in_good_child([&] {
    const Engine engine(test_platform("star"), Depth::kSizes);
    const LayerGraph graph = build_model("mnist_cnn");
    const std::vector<MemberDevice> devices =
        member_devices(engine, {{.name = "spread"}}, 1, graph, 32, 1);
    const Kernel kernel = layer_kernel(graph, 1, Phase::kForward, 32);
    const Seconds always = devices[0].kernel_time(kernel, -1);
    std::vector<int> tenths;
    tenths.reserve(10);
    for (int i = 0; i < 10; ++i) {
      tenths.push_back(static_cast<int>(10 * (devices[0].kernel_time(kernel, i) / always - 0.5)));
    }
    std::ranges::sort(tenths);
    EXPECT_EQ(tenths, (std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}));
  });
}

// Of three workers the third has its board for itself; one that has a GPU of a board twice is alone
// on it as well.
TEST(MemberDevices, GpusOfOneBoardComputeAtItsSpeed) {
  in_good_child([] {
    const Engine engine(test_platform("boards"), Depth::kSizes);
    const LayerGraph graph = build_model("mnist_cnn");
    const Kernel kernel = layer_kernel(graph, 1, Phase::kForward, 32);
    const auto times_on = [&](const std::vector<int>& hosts) {
      std::vector<simgrid::s4u::Host*> of_members;
      of_members.reserve(hosts.size());
      for (const int host : hosts) of_members.push_back(engine.hosts()[host]);
      std::vector<Seconds> times;
      for (const MemberDevice& device :
           member_devices(engine, host_devices(engine, of_members, {}), hosts.size(), graph, 32, 1))
        times.push_back(device.kernel_time(kernel, 0));
      return times;
    };
    const Seconds alone = times_on({0})[0];
    EXPECT_EQ(times_on({0, 1, 2}), (std::vector<Seconds>{2 * alone, 2 * alone, alone}));
    EXPECT_EQ(times_on({3, 3, 4}), (std::vector<Seconds>{alone, alone, alone}));
    EXPECT_FALSE(alike(host_devices(engine, engine.place(3), {})));
    EXPECT_TRUE(alike(host_devices(engine, engine.place(4), {})));
  });
}

// Its real run has none to wait for.
TEST(MemberDevices, APacedDeviceHasNoSpread) {
  in_good_child([] {
    const Engine engine(test_platform("star"), Depth::kSizes);
    const LayerGraph graph = build_model("mnist_cnn");
    const MemberDevice device =
        member_devices(engine, {{.name = "paced:spread"}}, 1, graph, 32, 1).front();
    const Kernel kernel = layer_kernel(graph, 1, Phase::kForward, 32);
    EXPECT_EQ(device.kernel_time(kernel, 0), device.kernel_time(kernel, 1));
    EXPECT_FALSE(device.varies);
  });
}

}  // namespace
}  // namespace tandem
