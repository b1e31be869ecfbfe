#pragma once

#include <functional>
#include <string_view>

#include "core/comm/worker.h"

namespace tandem {

/// Runs arithmetic on the elements of `view`, a flop each, as a kernel that reads and writes
/// `arrays` arrays of its size, and waits for it. `body` does it where the run carries data; empty
/// where nothing is to be done. `layer` as Kernel's. It costs as much as to be done `times` times.
void compute_over(Worker& worker, std::string_view name, View view, int arrays,
                  const std::function<void()>& body, int layer = -1, int times = 1);

}  // namespace tandem
