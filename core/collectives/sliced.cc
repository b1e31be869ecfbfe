#include "core/collectives/sliced.h"

#include <iterator>
#include <map>

namespace tandem {
namespace {

class Sliced final : public Schedule {
 public:
  Sliced(const Schedule& whole, int slices, int slice)
      : whole_(whole), slices_(slices), slice_(slice) {}

  std::string_view name() const override { return whole_.name(); }
  int ranks() const override { return whole_.ranks(); }
  int rank() const override { return whole_.rank(); }
  int group_rank(int k) const override { return whole_.group_rank(k); }
  std::size_t elements() const override { return whole_.elements(); }
  int rounds() const override { return whole_.rounds(); }

  Round round(int k) const override {
    const Round whole = whole_.round(k);
    Round round;
    for (const SendPiece& piece : whole.sends)
      add_send(round, piece.peer, part({piece.offset, piece.elements}));
    for (const ReceivePiece& piece : whole.receives)
      add_receive(round, piece.peer, part({piece.offset, piece.elements}), piece.action);
    return round;
  }

 private:
  Chunk part(const Chunk& piece) const { return chunk(piece, slices_, slice_); }

  const Schedule& whole_;
  int slices_;
  int slice_;
};

/// Which elements are of which slice, as far as known.
class Slicing {
 public:
  explicit Slicing(int slices) : slices_(slices) {}

  /// False where it contradicts what came before, or may.
  bool add(const Chunk& piece) {
    for (int slice = 0; slice < slices_; ++slice) {
      const Chunk part = chunk(piece, slices_, slice);
      if (part.elements > 0 && !add(part.offset, {part.offset + part.elements, slice}))
        return false;
    }
    return true;
  }

 private:
  struct Part {
    std::size_t end;
    int slice;
    bool operator==(const Part&) const = default;
  };

  bool add(std::size_t begin, const Part& part) {
    const auto [entry, is_new] = parts_.try_emplace(begin, part);
    if (!is_new) return entry->second == part;
    const auto next = std::next(entry);
    if (next != parts_.end() && next->first < part.end) return false;
    return entry == parts_.begin() || std::prev(entry)->second.end <= begin;
  }

  int slices_;
  std::map<std::size_t, Part> parts_;  ///< by their first element
};

bool add_pieces(Slicing& slicing, const auto& pieces) {
  for (const auto& piece : pieces) {
    if (!slicing.add({piece.offset, piece.elements})) return false;
  }
  return true;
}

}  // namespace

std::unique_ptr<const Schedule> sliced(const Schedule& schedule, int slices, int slice) {
  return std::make_unique<Sliced>(schedule, slices, slice);
}

bool can_be_sliced(const Schedule& schedule, int slices) {
  Slicing slicing(slices);
  for (int rank = 0; rank < schedule.ranks(); ++rank) {
    const auto part = schedule.part_of(rank);
    if (!part) return false;
    for (int k = 0; k < part->rounds(); ++k) {
      const Round round = part->round(k);
      if (!add_pieces(slicing, round.sends) || !add_pieces(slicing, round.receives)) return false;
    }
  }
  return true;
}

}  // namespace tandem
