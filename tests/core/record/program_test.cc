#include "core/record/program.h"

#include <gmock/gmock.h>

#include "core/comm/worker.h"

namespace tandem {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

struct Message final : Operation {
  std::string waits_for() const override { return "rank 1"; }
};

void compute(Program& program, Seconds begin, Seconds end) {
  program.computed({.phase = Phase::kForward, .name = "conv1", .flops = 8, .body = {}}, begin, end);
}

TEST(Program, HoldsNothingUpThatWasNotWaitedFor) {
  Program program;
  const Message sent, received;
  compute(program, 0, 1);                                                            // 0
  program.asked({.kind = Step::Kind::kSend, .begin = 1, .peer = 1}, &sent);          // 1
  program.asked({.kind = Step::Kind::kReceive, .begin = 1, .peer = -1}, &received);  // 2
  compute(program, 1, 3);                                                            // 3
  program.waited_for(&received, 4, 5);
  compute(program, 5, 6);  // 4
  program.waited_for(&sent, 1, 7);
  compute(program, 7, 8);  // 5
  const std::vector<Step>& steps = program.steps();
  ASSERT_EQ(steps.size(), 6U);
  EXPECT_EQ(steps[0].name, "conv1.forward");
  EXPECT_THAT(steps[0].needs, IsEmpty());
  EXPECT_THAT(steps[1].needs, ElementsAre(0));
  EXPECT_THAT(steps[2].needs, ElementsAre(0));
  EXPECT_THAT(steps[3].needs, ElementsAre(0));
  EXPECT_THAT(steps[4].needs, ElementsAre(3, 2));
  EXPECT_THAT(steps[5].needs, ElementsAre(4, 1));
  EXPECT_EQ(steps[2].peer, 4);  // whoever it was
  EXPECT_EQ(steps[2].end, 5);
}

TEST(Program, CollectivesFollowEachOther) {
  Program program;
  const Message one, other;
  program.asked({.kind = Step::Kind::kCollective}, &one);
  program.asked({.kind = Step::Kind::kCollective}, &other);
  EXPECT_THAT(program.steps()[0].follows, IsEmpty());
  EXPECT_THAT(program.steps()[1].follows, ElementsAre(0));
  EXPECT_THAT(program.steps()[1].needs, IsEmpty());
}

TEST(Program, MessagesInTurnFollowTheOneBeforeTheLast) {
  Program program;
  const Message messages[5];
  const int peers[] = {1, 1, 2, 1, 1};
  for (int i = 0; i < 5; ++i) program.asked_in_turn({.peer = peers[i]}, &messages[i]);
  EXPECT_THAT(program.steps()[1].follows, IsEmpty());
  EXPECT_THAT(program.steps()[2].follows, IsEmpty());
  EXPECT_THAT(program.steps()[3].follows, ElementsAre(0));
  EXPECT_THAT(program.steps()[4].follows, ElementsAre(1));
}

TEST(Program, ManyNeedsAreJoined) {
  Program program;
  const std::vector<Message> messages(1000);
  for (const Message& message : messages) program.asked({.kind = Step::Kind::kReceive}, &message);
  for (const Message& message : messages) program.waited_for(&message, 1, 2);
  compute(program, 2, 3);
  std::size_t most = 0;
  for (const Step& step : program.steps()) most = std::max(most, step.needs.size());
  EXPECT_EQ(most, 64U);
  EXPECT_LT(program.steps().size(), 1020U);
}

}  // namespace
}  // namespace tandem
