#include "real/calibrate/memory_rates.h"

#include <vector>

#include "core/base/median.h"
#include "real/calibrate/other_rank.h"

namespace tandem::mpi {

MemoryRates measure_memory_rates(Worker& worker) {
  constexpr std::size_t kBytes = 64UL << 20U;
  constexpr int kRounds = 6;
  const Buffer memory = worker.reserve(kBytes, DType::kByte);
  std::vector<Seconds> claiming, releasing;
  for (int round = 0; round < kRounds; ++round) {
    agree_on(worker, round);
    const Seconds begin = worker.now();
    worker.claim(memory.view());
    const Seconds claimed = worker.now();
    worker.release(memory.view());
    const Seconds released = worker.now();
    if (round == 0) continue;  // memory that the process has not had before
    claiming.push_back(claimed - begin);
    releasing.push_back(released - claimed);
  }
  return {.claimed = kBytes / median(std::move(claiming)),
          .released = kBytes / median(std::move(releasing))};
}

}  // namespace tandem::mpi
