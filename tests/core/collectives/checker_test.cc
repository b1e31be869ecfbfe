#include "core/collectives/checker.h"

#include <gtest/gtest.h>

#include "core/collectives/ring.h"

namespace tandem {
namespace {

/// A ring that something was done to, to see that the checker notices.
class Tampered final : public Schedule {
 public:
  using Change = std::function<void(int rank, int k, Round&)>;
  Tampered(std::unique_ptr<const Schedule> ring, Change change)
      : ring_(std::move(ring)), change_(std::move(change)) {}

  std::string_view name() const override { return "tampered"; }
  int ranks() const override { return ring_->ranks(); }
  int rank() const override { return ring_->rank(); }
  std::size_t elements() const override { return ring_->elements(); }
  int rounds() const override { return ring_->rounds(); }
  Round round(int k) const override {
    Round round = ring_->round(k);
    change_(rank(), k, round);
    return round;
  }

 private:
  std::unique_ptr<const Schedule> ring_;
  Change change_;
};

std::optional<std::string> check_tampered(const Tampered::Change& change) {
  return check_collective(
      Collective::kAllReduce,
      [&](int ranks, int rank, std::size_t elements) {
        return std::make_unique<Tampered>(ring_all_reduce(ranks, rank, elements), change);
      },
      4, 8);
}

TEST(Checker, FindsACopyInPlaceOfAnAdd) {
  EXPECT_EQ(check_tampered([](int rank, int k, Round& round) {
              if (rank == 2 && k == 1) round.receives[0].action = Action::kCopy;
            }),
            "rank 0 element 6: not every rank's contribution exactly once");
}

TEST(Checker, FindsAMissingMessage) {
  EXPECT_EQ(check_tampered([](int rank, int k, Round& round) {
              if (rank == 1 && k == 5) round.sends.clear();
            }),
            "rank 2 round 5: waits for a message that never comes");
}

TEST(Checker, FindsAMessageOfAnotherSize) {
  EXPECT_EQ(check_tampered([](int rank, int k, Round& round) {
              if (rank == 0 && k == 0) round.sends[0].elements = 1;
            }),
            "rank 1 round 0: receives 2 elements from rank 0, which sends 1");
}

TEST(Checker, FindsPiecesThatTouch) {
  EXPECT_EQ(check_tampered([](int rank, int k, Round& round) {
              if (rank == 3 && k == 3) round.receives[0].offset = round.sends[0].offset;
            }),
            "rank 3 round 3: receives into element 6 while sending it");
}

TEST(Checker, FindsAPeerThatIsNone) {
  EXPECT_EQ(check_tampered([](int rank, int k, Round& round) {
              if (rank == 0 && k == 0) round.sends[0].peer = 4;
            }),
            "rank 0 round 0: peer 4 is no other rank");
}

TEST(Checker, FindsSumsOfUnlikeElements) {
  EXPECT_EQ(check_tampered([](int rank, int k, Round& round) {
              if (rank == 1 && k == 0) round.sends[0].offset = 4;  // lands on element 0
            }),
            "rank 0 element 0: not every rank's contribution exactly once");
}

TEST(Checker, HoldsEachCollectiveToItsOwnPromise) {
  const auto check = [](Collective collective, auto make) {
    return check_collective(collective, make, 4, 8).has_value();
  };
  EXPECT_TRUE(check(Collective::kAllReduce, ring_reduce_scatter));
  EXPECT_TRUE(check(Collective::kAllReduce, ring_all_gather));
  EXPECT_TRUE(check(Collective::kReduceScatter, ring_all_gather));
  EXPECT_TRUE(check(Collective::kAllGather, ring_all_reduce));
  EXPECT_TRUE(check(Collective::kBroadcast, ring_all_gather));
  EXPECT_TRUE(check(Collective::kAllToAll, ring_all_gather));
  EXPECT_FALSE(check(Collective::kReduceScatter, ring_all_reduce));  // it keeps more than that
}

/// One message a round, of the whole buffer.
struct Step {
  int source;
  int destination;
  Action action;
};

class Scripted final : public Schedule {
 public:
  Scripted(std::vector<Step> steps, int ranks, int rank, std::size_t elements)
      : steps_(std::move(steps)), ranks_(ranks), rank_(rank), elements_(elements) {}

  std::string_view name() const override { return "scripted"; }
  int ranks() const override { return ranks_; }
  int rank() const override { return rank_; }
  std::size_t elements() const override { return elements_; }
  int rounds() const override { return static_cast<int>(steps_.size()); }
  Round round(int k) const override {
    const Step& step = steps_[k];
    Round round;
    if (step.source == rank_) round.sends.push_back({step.destination, 0, elements_});
    if (step.destination == rank_) {
      round.receives.push_back({step.source, 0, elements_, step.action});
    }
    return round;
  }

 private:
  std::vector<Step> steps_;
  int ranks_, rank_;
  std::size_t elements_;
};

std::optional<std::string> check_scripted(const std::vector<Step>& steps, int ranks) {
  return check_collective(
      Collective::kAllReduce,
      [&](int n, int rank, std::size_t elements) {
        return std::make_unique<Scripted>(steps, n, rank, elements);
      },
      ranks, 2);
}

TEST(Checker, AcceptsAReduceThenBroadcast) {
  EXPECT_FALSE(check_scripted(
      {{1, 0, Action::kAdd}, {2, 0, Action::kAdd}, {0, 1, Action::kCopy}, {0, 2, Action::kCopy}},
      3));
}

TEST(Checker, FindsSumsInAnotherOrder) {
  // Rank 0 ends with (0 + (2 + 3)) + 1, rank 1 with (1 + (2 + 3)) + 0: complete, but rounded
  // differently.
  EXPECT_EQ(check_scripted({{2, 3, Action::kAdd},
                            {3, 2, Action::kCopy},
                            {0, 3, Action::kCopy},
                            {2, 0, Action::kAdd},
                            {1, 0, Action::kAdd},
                            {2, 1, Action::kAdd},
                            {3, 1, Action::kAdd},
                            {0, 2, Action::kCopy},
                            {0, 3, Action::kCopy}},
                           4),
            "rank 1 element 0: summed in another order than on a rank before");
}

}  // namespace
}  // namespace tandem
