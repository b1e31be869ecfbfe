#include "real/mpi/gather.h"

#include <climits>
#include <numeric>

#include "core/base/error.h"
#include "real/mpi/check.h"

namespace tandem::mpi {

std::vector<std::string> gather(const std::string& text, MPI_Comm comm) {
  int rank = 0;
  int size = 0;
  check(MPI_Comm_rank(comm, &rank), "MPI_Comm_rank");
  check(MPI_Comm_size(comm, &size), "MPI_Comm_size");

  const int length = static_cast<int>(text.size());
  std::vector<int> lengths(size);
  check(MPI_Gather(&length, 1, MPI_INT, lengths.data(), 1, MPI_INT, 0, comm), "MPI_Gather");
  const std::size_t total = std::accumulate(lengths.begin(), lengths.end(), std::size_t{0});
  if (total > INT_MAX) throw RunError("the ranks' results are too large to gather");

  std::vector<int> offsets(size, 0);
  std::partial_sum(lengths.begin(), lengths.end() - 1, offsets.begin() + 1);
  std::string all(total, '\0');
  check(MPI_Gatherv(text.data(), length, MPI_CHAR, all.data(), lengths.data(), offsets.data(),
                    MPI_CHAR, 0, comm),
        "MPI_Gatherv");

  std::vector<std::string> texts;
  for (int i = 0; rank == 0 && i < size; ++i) texts.push_back(all.substr(offsets[i], lengths[i]));
  return texts;
}

}  // namespace tandem::mpi
