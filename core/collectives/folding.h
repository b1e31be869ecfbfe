#pragma once

#include "core/collectives/schedule.h"

namespace tandem {

/// An all-reduce among a power of two of places, for any number of ranks. Where N is no power of
/// two, P is the next smaller, and each of the first N-P even ranks first gives all it has to the
/// odd one after it, and gets the sums from it in the end: two rounds more, of the whole buffer
/// (Thakur, Rabenseifner and Gropp, IJHPCA 2005, section 4.5). An algorithm is its exchanges.
class FoldingSchedule : public RankSchedule {
 public:
  int rounds() const final { return exchanges() + (folded_ > 0 ? 2 : 0); }
  Round round(int k) const final;

 protected:
  FoldingSchedule(std::string_view name, int ranks, int rank, std::size_t elements);

  /// Rounds among the places.
  virtual int exchanges() const = 0;
  /// The k-th of them, of the rank at `place`.
  virtual Round exchange(int k, int place) const = 0;

  bool has_folded() const { return folded_ > 0; }
  int places() const { return places_; }
  int log_places() const { return log_places_; }
  int rank_at(int place) const { return place < folded_ ? 2 * place + 1 : place + folded_; }
  Chunk all() const { return {0, elements()}; }

 private:
  bool in_pair() const { return rank() < 2 * folded_; }
  bool gives() const { return in_pair() && rank() % 2 == 0; }
  Round fold() const;
  Round unfold() const;

  int places_;      ///< ranks that exchange: the largest power of two
  int log_places_;  ///< log2 places_
  int folded_;      ///< ranks that don't
};

}  // namespace tandem
