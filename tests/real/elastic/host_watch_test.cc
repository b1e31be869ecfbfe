#include "real/elastic/host_watch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tandem::elastic {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class WatchedHosts : public testing::Test {
 protected:
  Probe ask(const std::vector<int>& members) {
    asked_.push_back(members);
    Probe probe;
    for (const int member : members)
      probe.ask({member}, {gone_.contains(member) ? "false" : "true"}, "/dev/null");
    return probe;
  }

  std::set<int> gone_;
  std::vector<std::vector<int>> asked_;
  Seconds now_ = 1000;
  HostWatch watch_{[this](const std::vector<int>& members) { return ask(members); },
                   [this] { return now_; }};
};

TEST_F(WatchedHosts, AreMissingUntilTheyAnswer) {
  gone_ = {0, 2};
  EXPECT_THAT(watch_.look({2, 1, 0}), ElementsAre(0, 2));
  EXPECT_TRUE(watch_.is_missing(0));
  EXPECT_FALSE(watch_.is_missing(1));
  gone_ = {2};
  now_ += 10;
  watch_.await_answers();
  EXPECT_FALSE(watch_.is_missing(0));
  EXPECT_TRUE(watch_.is_missing(2));
}

TEST_F(WatchedHosts, AreAskedAgainNowAndThen) {
  gone_ = {0};
  watch_.look({0, 1});
  now_ += 9;
  watch_.await_answers();
  EXPECT_THAT(asked_, ElementsAre(ElementsAre(0, 1)));
  now_ += 1;
  watch_.await_answers();
  watch_.await_answers();
  EXPECT_THAT(asked_, ElementsAre(ElementsAre(0, 1), ElementsAre(0)));
  gone_ = {};
  now_ += 10;
  watch_.await_answers();
  now_ += 10;
  watch_.await_answers();
  EXPECT_THAT(asked_, ElementsAre(ElementsAre(0, 1), ElementsAre(0), ElementsAre(0)));
}

// A second one that vanishes is found out as soon as the first one was.
TEST_F(WatchedHosts, OfAJobThatDoesNotStartAreLookedForWhileOthersAreMissing) {
  gone_ = {0};
  watch_.look({0, 1});
  const Seconds started = now_;
  for (; now_ <= started + kStartIn; now_ += 5) {
    EXPECT_FALSE(watch_.is_late(started)) << now_ - started;
    watch_.await_answers();
  }
  EXPECT_EQ(asked_.size(), 3) << "of the job, and twice of the one that is missing";
  EXPECT_TRUE(watch_.is_late(started));
  EXPECT_THAT(watch_.look({1}), IsEmpty());
  EXPECT_FALSE(watch_.is_late(started)) << "it was looked for just now";
  now_ += kStartIn + 1;
  EXPECT_TRUE(watch_.is_late(started));
}

TEST_F(WatchedHosts, NeedNotAnswerAnyMore) {
  gone_ = {0};
  watch_.look({0});
  gone_ = {};
  now_ += 10;
  watch_.look_again();
  watch_.ask_no_more();
  watch_.await_answers();
  EXPECT_TRUE(watch_.is_missing(0));
}

}  // namespace
}  // namespace tandem::elastic
