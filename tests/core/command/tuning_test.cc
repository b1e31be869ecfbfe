#include "core/command/tuning.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"

namespace tandem {
namespace {

using testing::ElementsAre;
using Time = std::function<std::optional<double>(const Picks&)>;

Tuned tuned(const TuningSpace& space, const Time& time) {
  return tune(space, [&](const std::vector<Picks>& wanted) {
    std::vector<std::optional<double>> times;
    for (const Picks& picks : wanted) times.push_back(time(picks));
    return times;
  });
}

TEST(Tune, TakesTheFastestOfEachChoiceAndSaysWhatItBought) {
  const double first[] = {5, 4, 3}, second[] = {10, 12};
  const Tuned found = tuned({.values = {3, 2}, .standard = {0, 0}},
                            [&](const Picks& picks) { return first[picks[0]] + second[picks[1]]; });
  EXPECT_THAT(found.best, ElementsAre(2, 0));
  EXPECT_EQ(found.time(found.best), 13);
  EXPECT_THAT(found.without, ElementsAre(testing::Pair(0, testing::Optional(15.0))));
}

TEST(Tune, FindsChoicesThatHelpOnlyTogether) {
  // The second value of the first choice pays only once the second choice has changed.
  const double times[2][2] = {{10, 8}, {11, 6}};
  const Tuned found = tuned({.values = {2, 2}, .standard = {0, 0}},
                            [&](const Picks& picks) { return times[picks[0]][picks[1]]; });
  EXPECT_THAT(found.best, ElementsAre(1, 1));
  EXPECT_THAT(found.without, ElementsAre(testing::Pair(0, testing::Optional(8.0)),
                                         testing::Pair(1, testing::Optional(11.0))));
}

TEST(Tune, KeepsTheScenariosOwnWhereNothingIsWorthwhile) {
  const Tuned found = tuned({.values = {2}, .standard = {0}},
                            [](const Picks& picks) { return picks[0] == 1 ? 0.995 : 1; });
  EXPECT_THAT(found.best, ElementsAre(0));
  EXPECT_TRUE(found.without.empty());
}

TEST(Tune, PutsBackWhatIsNoLongerWorthwhile) {
  // The first choice helps until the second has changed.
  const double times[2][2] = {{10, 5}, {9, 5}};
  const Tuned found = tuned({.values = {2, 2}, .standard = {0, 0}},
                            [&](const Picks& picks) { return times[picks[0]][picks[1]]; });
  EXPECT_THAT(found.best, ElementsAre(0, 1));
}

TEST(Tune, IsNeverSlowerThanWhatTandemTakesByDefault) {
  // Coordinate descent from the scenario's own values gets nowhere; the defaults are faster.
  const Tuned found =
      tuned({.values = {2, 2}, .standard = {1, 1}}, [](const Picks& picks) -> double {
        if (picks == Picks{1, 1}) return 4;
        return picks == Picks{0, 0} ? 5 : 6;
      });
  EXPECT_THAT(found.best, ElementsAre(1, 1));
  EXPECT_EQ(found.time(found.best), 4);
}

TEST(Tune, PassesOverWhatCannotBeRun) {
  const Time time = [](const Picks& picks) -> std::optional<double> {
    if (picks[0] == 1) return std::nullopt;
    return picks[0] == 2 ? 1 : 2;
  };
  const Tuned found = tuned({.values = {3}, .standard = {1}}, time);
  EXPECT_THAT(found.best, ElementsAre(2));
  EXPECT_EQ(found.trials.size(), 3U);
  const Time none = [](const Picks&) { return std::nullopt; };
  EXPECT_THROW(tuned({.values = {2}, .standard = {0}}, none), InputError);
}

TEST(Tune, TriesNothingTwice) {
  std::map<Picks, int> asked;
  tuned({.values = {3, 3}, .standard = {2, 2}}, [&](const Picks& picks) {
    EXPECT_EQ(++asked[picks], 1);
    return 10.0 - static_cast<double>(picks[0] + picks[1]);
  });
}

}  // namespace
}  // namespace tandem
