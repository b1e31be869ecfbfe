#pragma once

#include "core/comm/worker.h"

namespace tandem {

/// Waits until rank 0 is here too, however long that takes. To be called by the first `members`.
void wait_for_first(Worker& worker, int members);

}  // namespace tandem
