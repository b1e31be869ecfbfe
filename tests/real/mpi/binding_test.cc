#include "real/mpi/binding.h"

#include <gmock/gmock.h>

#include <filesystem>

#include "core/base/processors.h"
#include "real/mpi/session.h"
#include "tests/real/mpi/mpi_world.h"

namespace tandem::mpi {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class Machine {
 public:
  explicit Machine(const char* described) {
    hwloc_topology_init(&topology_);
    hwloc_topology_set_synthetic(topology_, described);
    hwloc_topology_load(topology_);
  }
  ~Machine() { hwloc_topology_destroy(topology_); }
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

  std::vector<std::string> parts(int ranks, int threads) const {
    return parts_of_machine(topology_, ranks, threads);
  }

 private:
  hwloc_topology_t topology_ = nullptr;
};

TEST(Binding, GivesARankAMemoryOfItsOwn) {
  const Machine two("numa:2 core:4 pu:1");
  EXPECT_THAT(two.parts(2, 1), ElementsAre("0-3", "4-7"));
  EXPECT_THAT(two.parts(4, 1), ElementsAre("0-1", "2-3", "4-5", "6-7"));
}

// The threads of a core are numbered one after the other here.
TEST(Binding, CountsCoresAndNotTheirThreads) {
  const Machine four("numa:1 core:4 pu:2");
  EXPECT_THAT(four.parts(2, 1), ElementsAre("0-3", "4-7"));
  EXPECT_THAT(four.parts(3, 1), IsEmpty());
  EXPECT_THAT(four.parts(4, 1), IsEmpty());
}

TEST(Binding, LeavesAProcessorToTheThreadThatMovesMessages) {
  const Machine eight("core:8 pu:1");
  EXPECT_THAT(eight.parts(2, 3), ElementsAre("0-3", "4-7"));
  EXPECT_THAT(eight.parts(2, 4), IsEmpty());
  EXPECT_THAT(eight.parts(8, 1), IsEmpty());
  EXPECT_THAT(eight.parts(16, 1), IsEmpty());
}

// What this machine has decides whether they are bound; whoever is, is to processors of its own.
TEST(Binding, RanksAreBoundApartOrNotAtAll) {
  const cpu_set_t before = allowed_processors();
  const std::string bound = bind_to_part_of_machine(MPI_COMM_WORLD, 1);
  const cpu_set_t after = allowed_processors();
  if (bound.empty()) {
    EXPECT_TRUE(CPU_EQUAL(&before, &after));
  } else {
    EXPECT_LT(CPU_COUNT(&after), CPU_COUNT(&before));
    EXPECT_GE(CPU_COUNT(&after), 2);
    EXPECT_EQ(bind_to_part_of_machine(MPI_COMM_WORLD, 1), "") << "they have their own already";
  }
  EXPECT_EQ(Session::processors(), CPU_COUNT(&before));
  for (const auto& thread : std::filesystem::directory_iterator("/proc/self/task"))
    sched_setaffinity(std::stoi(thread.path().filename()), sizeof before, &before);
}

}  // namespace
}  // namespace tandem::mpi
