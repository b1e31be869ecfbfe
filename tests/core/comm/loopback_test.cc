#include "core/comm/loopback/loopback.h"

#include <gtest/gtest.h>

#include <functional>

#include "core/base/error.h"

namespace tandem {
namespace {

TEST(Loopback, AMemberThatFailsIsLostToThoseWhoWaitForIt) {
  bool noticed = false;
  EXPECT_THROW(run_loopback(2,
                            [&](Worker& worker) {
                              if (worker.group().rank == 1) throw std::runtime_error("broken");
                              const Buffer buffer = worker.allocate(1, DType::kFloat32);
                              Handle handle = worker.receive(1, 0, buffer.view());
                              try {
                                worker.wait(handle);
                              } catch (const PeerLost& lost) {
                                noticed = lost.peer() == 1 && handle.empty();
                                throw;
                              }
                            }),
               std::runtime_error);
  EXPECT_TRUE(noticed);
}

TEST(Loopback, ReportsTheCauseRatherThanItsEcho) {
  try {
    run_loopback(3, [](Worker& worker) {
      if (worker.group().rank == 2) throw std::runtime_error("the cause");
      const Buffer buffer = worker.allocate(1, DType::kFloat32);
      Handle handle = worker.receive(2, 0, buffer.view());
      worker.wait(handle);
    });
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "the cause");
  }
}

TEST(Loopback, AMessageThatWasSentBeforeTheEndStillArrives) {
  run_loopback(2, [](Worker& worker) {
    const Buffer buffer = worker.allocate(1, DType::kFloat32);
    if (worker.group().rank == 1) {
      buffer.view().floats()[0] = 5;
      Handle sent = worker.send(0, 0, buffer.view());
      worker.wait(sent);
      return;
    }
    Handle received = worker.receive(1, 0, buffer.view());
    worker.wait(received);
    EXPECT_EQ(buffer.view().floats()[0], 5.0F);
  });
}

TEST(Loopback, AMessageOfAnotherSizeIsAnError) {
  EXPECT_THROW(run_loopback(2,
                            [](Worker& worker) {
                              const std::size_t elements = worker.group().rank == 0 ? 3 : 4;
                              const Buffer buffer = worker.allocate(elements, DType::kFloat32);
                              Handle handle = worker.group().rank == 0
                                                  ? worker.send(1, 0, buffer.view())
                                                  : worker.receive(0, 0, buffer.view());
                              worker.wait(handle);
                            }),
               std::logic_error);
}

std::string error_of(const std::function<void(Worker&)>& member, Seconds patience = kForever) {
  try {
    run_loopback(2, member, patience);
  } catch (const RunError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Loopback, AMessageThatNobodyReceivesIsLeftOver) {
  EXPECT_EQ(error_of([](Worker& worker) {
              if (worker.group().rank == 1) return;
              const Buffer buffer = worker.allocate(3, DType::kFloat32);
              Handle sent = worker.send(1, 9, buffer.view());
              worker.wait(sent);
            }),
            "a message is left over: rank 0 sent rank 1 12 bytes (tag 9) that it never received");
}

TEST(Loopback, AReceiveThatNobodyMeetsIsLeftOver) {
  EXPECT_EQ(error_of([](Worker& worker) {
              if (worker.group().rank == 0) return;
              const Buffer buffer = worker.allocate(3, DType::kFloat32);
              const Handle never = worker.receive(kAnyPeer, 9, buffer.view());
            }),
            "a receive is left over: rank 1 waits for any rank (tag 9), who sent nothing");
}

TEST(Loopback, APatientMemberWaitsButAnImpatientOneSaysForWhom) {
  EXPECT_EQ(error_of(
                [](Worker& worker) {
                  const int rank = worker.group().rank;
                  if (rank == 1) worker.set_patience(kForever);
                  const Buffer buffer = worker.allocate(1, DType::kFloat32);
                  Handle handles[] = {worker.receive(1 - rank, 1, buffer.view()),
                                      worker.receive(kAnyPeer, 2, buffer.view())};
                  worker.wait_any(handles);
                },
                0.05),
            "rank 0 has waited 0.05 s for rank 1, any rank; is it a deadlock, or is timeout too "
            "short?");
}

}  // namespace
}  // namespace tandem
