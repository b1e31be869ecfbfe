#include "core/collectives/subgroup.h"

#include <cassert>
#include <utility>

namespace tandem {
namespace {

class Subgroup final : public Schedule {
 public:
  Subgroup(std::unique_ptr<const Schedule> part, std::vector<int> ranks)
      : part_(std::move(part)), ranks_(std::move(ranks)) {
    assert(part_->ranks() == static_cast<int>(ranks_.size()));
  }

  std::string_view name() const override { return part_->name(); }
  int ranks() const override { return part_->ranks(); }
  int rank() const override { return part_->rank(); }
  int group_rank(int k) const override { return ranks_[k]; }
  std::size_t elements() const override { return part_->elements(); }
  int rounds() const override { return part_->rounds(); }

  Round round(int k) const override {
    Round round = part_->round(k);
    name_in_group(round);
    return round;
  }

  std::optional<ScheduleKey> key() const override { return part_->key(); }

  Stretch stretch(int k, int most) const override {
    Stretch stretch = part_->stretch(k, most);
    name_in_group(stretch.sum);
    stretch.sent_by_all.reset();  // other members of the group do something else
    return stretch;
  }

  std::unique_ptr<const Schedule> part_of(int rank) const override {
    auto part = part_->part_of(rank);
    return part ? std::make_unique<Subgroup>(std::move(part), ranks_) : nullptr;
  }

 private:
  void name_in_group(Round& round) const {
    for (SendPiece& piece : round.sends) piece.peer = ranks_[piece.peer];
    for (ReceivePiece& piece : round.receives) piece.peer = ranks_[piece.peer];
  }

  std::unique_ptr<const Schedule> part_;
  std::vector<int> ranks_;  ///< of the group, by rank of the part
};

}  // namespace

std::unique_ptr<const Schedule> subgroup(std::unique_ptr<const Schedule> part,
                                         std::vector<int> ranks) {
  return std::make_unique<Subgroup>(std::move(part), std::move(ranks));
}

}  // namespace tandem
