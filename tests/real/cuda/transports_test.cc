// Collectives among GPUs: all ranks share one, or a stand-in for it. Every rank runs every test.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "core/base/error.h"
#include "core/collectives/all_reduce.h"
#include "core/collectives/binomial_broadcast.h"
#include "core/collectives/ring.h"
#include "core/collectives/subgroup.h"
#include "core/comm/elementwise.h"
#include "real/cuda/collectives/cuda_aware.h"
#include "real/cuda/collectives/ipc.h"
#include "real/cuda/collectives/nccl.h"
#include "real/cuda/mirror.h"
#include "real/cuda/network.h"
#include "real/mpi/worker.h"
#include "tests/real/mpi/mpi_world.h"

namespace tandem::cuda {
namespace {

using mpi::session;

mpi::MakeDeviceCollectives ipc(int device) {
  return [device](MPI_Comm comm, const mpi::Node& node) {
    return std::make_unique<IpcCollectives>(comm, node, device);
  };
}

mpi::MakeDeviceCollectives cuda_aware(int device) {
  return [device](MPI_Comm comm, const mpi::Node&) {
    return std::make_unique<CudaAwareCollectives>(comm, device);
  };
}

/// Those that have the bits of schedules.
class Transport : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    // What stands in for a GPU has memory that every MPI takes.
    if (GetParam() == "mpi" && !is_mpi_cuda_aware() && device_name(0) != "a stand-in")
      GTEST_SKIP() << "this MPI does not take a GPU's memory";
  }
  static mpi::MakeDeviceCollectives on(int device) {
    return GetParam() == "mpi" ? cuda_aware(device) : ipc(device);
  }
};

INSTANTIATE_TEST_SUITE_P(Transports, Transport, testing::Values("ipc", "mpi"),
                         [](const auto& info) { return info.param; });

/// A member whose buffers the GPU has copies of.
struct Member {
  explicit Member(const mpi::MakeDeviceCollectives& devices, int device = 0)
      : engine(make_engine(device, Arithmetic::kFloat32)), worker(MPI_COMM_WORLD) {
    worker.set_devices(devices);
    worker.set_mirrors([engine = this->engine](const View& host) {
      return std::make_shared<CudaMirror>(engine, host);
    });
  }

  std::shared_ptr<Engine> engine;
  mpi::MpiWorker worker;
};

float number(int rank, std::size_t i) {
  return 1.0F / static_cast<float>(3 * i % 977 + static_cast<std::size_t>(7 * rank) + 1);
}

void fill(const View& view, int rank) {
  const Buffer numbers = make_host_buffer(view.elements, DType::kFloat32);
  for (std::size_t i = 0; i < view.elements; ++i) numbers.view().floats()[i] = number(rank, i);
  convert(view.on_host(Access::kOverwrite), numbers.view());
}

std::vector<float> read(const View& view) {
  const Buffer numbers = make_host_buffer(view.elements, DType::kFloat32);
  convert(numbers.view(), view.on_host(Access::kRead));
  const auto floats = numbers.view().floats();
  return {floats.begin(), floats.end()};
}

/// What the ranks end with whose numbers are elements [offset, offset + elements) of their buffers,
/// computed last by the GPU; and whether the host's memory has seen any of it, which was zeroed.
struct Reduced {
  std::vector<float> numbers;
  bool came_to_host;
};

Reduced reduce(Member& member, std::unique_ptr<const Schedule> schedule, std::size_t offset,
               DType dtype) {
  const std::size_t elements = schedule->elements();
  const Buffer made = member.worker.allocate(elements, dtype);
  const Buffer whole = member.worker.allocate(offset + elements + 5, dtype);
  fill(made.view(), session().rank());
  const View view = whole.view().slice(offset, elements);
  convert(view, made.view());  // on the GPU
  Handle sum = member.worker.start(std::move(schedule), view);
  member.worker.wait(sum);
  const bool came = std::any_of(view.data, view.data + view.bytes(),
                                [](std::byte byte) { return byte != std::byte{0}; });
  return {read(view), came};
}

constexpr std::size_t kSmall = 100;  ///< so few elements that the host forms their sum

TEST_P(Transport, HasTheBitsOfTheScheduleAndLeavesThemOnTheGpu) {
  const int rank = session().rank(), size = session().size();
  Member there(on(0)), host({});
  const AllReduceOptions options = {.segment_bytes = 40'000, .node_size = size % 2 == 0 ? 2 : 1};
  for (const std::string& name : all_reduce_names()) {
    for (const DType dtype : {DType::kFloat32, DType::kFloat16, DType::kBFloat16}) {
      for (const auto& [elements, offset] : {std::pair(kSmall, 0UL),
                                             {20'011UL, 0UL},
                                             {20'011UL, 3UL},
                                             {32'768UL, 64UL},
                                             // Of which no stretch is aligned on all ranks.
                                             {32'768UL, static_cast<std::size_t>(rank)}}) {
        const auto factory = all_reduce(name, options);
        const Reduced on_gpu = reduce(there, factory(size, rank, elements), offset, dtype);
        const Reduced on_host = reduce(host, factory(size, rank, elements), offset, dtype);
        EXPECT_EQ(on_gpu.numbers, on_host.numbers) << name << ", " << elements << " + " << offset;
        if (size > 1) {
          EXPECT_EQ(on_gpu.came_to_host, elements == kSmall) << name << ", " << elements;
          EXPECT_TRUE(on_host.came_to_host);
        }
      }
    }
  }
  there.worker.end();
  host.worker.end();
}

// Of unlike groups and sizes, some of the host, on buffers that come and go.
TEST_P(Transport, ManyFollowEachOther) {
  Member member(on(0));
  const int rank = session().rank(), size = session().size();
  for (int k = 0; k < 60; ++k) {
    const bool by_halves = k % 3 == 1 && size % 2 == 0;
    const int ranks = by_halves ? size / 2 : size;
    const int first = by_halves && rank >= ranks ? ranks : 0;
    const std::size_t elements = k % 4 == 3 ? kSmall : 5000 + 37 * k;
    std::vector<int> members(ranks);
    std::iota(members.begin(), members.end(), first);
    const Reduced sum =
        reduce(member, subgroup(ring_all_reduce(ranks, rank - first, elements), members), k % 5,
               DType::kFloat32);
    for (std::size_t i = 0; i < elements; i += 91) {
      float expected = 0;
      for (const int one : members) expected += number(one, i);
      ASSERT_NEAR(sum.numbers[i], expected, 1e-5) << k << ", " << i;
    }
  }
  member.worker.end();
}

TEST_P(Transport, SeveralGoOnAtOnceWhileTheGpuComputes) {
  Member member(on(0));
  const int rank = session().rank(), size = session().size();
  constexpr std::size_t kElements = 10'000;
  std::vector<Buffer> buffers;
  std::vector<Handle> handles;
  for (int k = 0; k < 12; ++k) {
    buffers.push_back(member.worker.allocate(kElements, DType::kFloat32));
    std::ranges::fill(buffers[k].view().floats(), static_cast<float>(k + 1));
    if (k > 0) accumulate(buffers[k].view(), buffers[0].view());
    handles.push_back(
        member.worker.start(ring_all_reduce(size, rank, kElements), buffers[k].view()));
    if (k == 0) member.worker.wait(handles[0]);
  }
  wait_all(member.worker, handles);
  for (int k = 0; k < 12; ++k) {
    const float one = static_cast<float>(k == 0 ? 1 : k + 1 + size);
    EXPECT_THAT(read(buffers[k].view()), testing::Each(one * static_cast<float>(size))) << k;
  }
  member.worker.end();
}

// As a server's does.
TEST_P(Transport, ARankWithoutAGpuSendsAllToTheHost) {
  const int rank = session().rank(), size = session().size();
  if (size < 2) return;
  Member member(on(rank == 0 ? -1 : 0));
  EXPECT_TRUE(reduce(member, ring_all_reduce(size, rank, 9000), 0, DType::kFloat32).came_to_host);
  std::vector<int> others(size - 1);
  std::iota(others.begin(), others.end(), 1);
  if (rank > 0 && size > 2) {
    EXPECT_FALSE(reduce(member, subgroup(ring_all_reduce(size - 1, rank - 1, 9000), others), 0,
                        DType::kFloat32)
                     .came_to_host);
  }
  member.worker.end();
}

TEST_P(Transport, APeerThatEndedIsLost) {
  const int rank = session().rank(), size = session().size();
  Member member(on(0));
  if (size == 1 || rank == size - 1) return;
  const Buffer buffer = member.worker.allocate(9000, DType::kFloat32);
  convert(buffer.view(), buffer.view());  // on the GPU
  Handle sum = member.worker.start(ring_all_reduce(size, rank, 9000), buffer.view());
  EXPECT_THROW(member.worker.wait(sum), PeerLost);
}

TEST(Ipc, UnlikeSizesAreAnError) {
  const int rank = session().rank(), size = session().size();
  if (size == 1) return;
  Member member(ipc(0));
  const std::size_t elements = rank == 0 ? 8000 : 9000;
  EXPECT_THROW(reduce(member, ring_all_reduce(size, rank, elements), 0, DType::kFloat32), RunError);
}

TEST(Nccl, AddsUpWhatAllHaveAndLeavesItOnTheGpu) {
  const int rank = session().rank(), size = session().size();
  if (device_count() < size) GTEST_SKIP() << "takes a GPU a rank";
  Member member([rank](MPI_Comm comm,
                       const mpi::Node&) { return std::make_unique<NcclCollectives>(comm, rank); },
                rank);
  for (const DType dtype : {DType::kFloat32, DType::kFloat16, DType::kBFloat16}) {
    const double rounding = dtype == DType::kFloat32   ? 1e-6
                            : dtype == DType::kFloat16 ? 2e-3
                                                       : 2e-2;
    for (const std::size_t elements : {kSmall, 20'011UL}) {
      const Reduced sum = reduce(member, ring_all_reduce(size, rank, elements), 3, dtype);
      EXPECT_EQ(sum.came_to_host, elements == kSmall);
      for (std::size_t i = 0; i < elements; ++i) {
        double expected = 0;
        for (int one = 0; one < size; ++one) expected += number(one, i);
        ASSERT_NEAR(sum.numbers[i], expected, rounding * expected) << i;
      }
    }
  }
  // Of some ranks alone, and what is no sum of all: the host's.
  std::vector<int> first_half(std::max(1, size / 2));
  std::iota(first_half.begin(), first_half.end(), 0);
  const int half = static_cast<int>(first_half.size());
  if (size > 3 && rank < half) {
    EXPECT_TRUE(
        reduce(member, subgroup(ring_all_reduce(half, rank, 9000), first_half), 0, DType::kFloat32)
            .came_to_host);
  }
  if (size > 1) {
    EXPECT_TRUE(
        reduce(member, binomial_broadcast(size, rank, 9000), 0, DType::kFloat32).came_to_host);
  }
  member.worker.end();
}

TEST(Nccl, RanksThatShareAGpuAreRefused) {
  if (session().size() == 1) return;
  EXPECT_THAT([] { NcclCollectives(MPI_COMM_WORLD, 0); },
              testing::ThrowsMessage<InputError>(testing::HasSubstr("ranks 0 and 1 have GPU")));
}

}  // namespace
}  // namespace tandem::cuda
