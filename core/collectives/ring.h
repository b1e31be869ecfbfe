#pragma once

#include <memory>

#include "core/collectives/schedule.h"

namespace tandem {

/// Ring all-reduce (Patarasuk and Yuan, "Bandwidth optimal all-reduce algorithms for clusters of
/// workstations", JPDC 2009): N-1 rounds of reduce-scatter, then N-1 rounds of all-gather, each
/// passing one of N chunks to the next rank. Every rank sends 2(N-1)/N of the buffer, which is the
/// least any all-reduce can. Sums are formed in ring order, so all ranks end with the same bits.
std::unique_ptr<const Schedule> ring_all_reduce(int ranks, int rank, std::size_t elements);

/// Its first half: rank r ends with the whole sum of chunk(elements, ranks, r), in the bits that
/// ring_all_reduce() gives; the other chunks hold partial sums. Sends (N-1)/N of the buffer.
std::unique_ptr<const Schedule> ring_reduce_scatter(int ranks, int rank, std::size_t elements);

/// Its second half: rank r begins with chunk(elements, ranks, r), and all end with all chunks.
/// Sends (N-1)/N of the buffer.
std::unique_ptr<const Schedule> ring_all_gather(int ranks, int rank, std::size_t elements);

/// One rank's step around a ring: which of its chunks it passes on to the next rank, which it takes
/// in from the one before, and how.
struct RingStep {
  int next;
  int previous;
  int outgoing;
  int incoming;
  Action action;
};

/// Step k of the 2(ranks - 1) steps of an all-reduce, for the rings that others are made of: the
/// first half reduces and scatters, the second gathers. Between the two, rank r holds the whole sum
/// of chunk r.
RingStep ring_step(int ranks, int rank, int k);

/// Steps of a ring from one on that differ only in the chunks: those passed on are `steps` chunks
/// from `first_outgoing` on, counted round, and so are those taken in.
struct LikeRingSteps {
  int steps;
  int first_outgoing;
  int first_incoming;
};

/// Those from step k on, `most` or fewer.
LikeRingSteps like_ring_steps(int ranks, int rank, int k, int most);

/// What those are together, of a buffer of `elements`, at least one a rank. Without what all send.
Stretch ring_stretch(int ranks, int rank, std::size_t elements, int k, int most);

}  // namespace tandem
