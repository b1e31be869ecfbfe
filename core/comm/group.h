#pragma once

namespace tandem {

/// Who takes part in a job, as one member sees it.
struct Group {
  int rank = 0;   ///< this member, in [0, size)
  int size = 1;   ///< members, servers included
  int epoch = 0;  ///< counts changes of membership; messages never cross epochs
};

}  // namespace tandem
