#pragma once

#include <sched.h>

namespace tandem {

/// Those that this process may use, by the system's numbers; none where the system doesn't say.
cpu_set_t allowed_processors();

/// How many they are, at least 1.
int processor_count();

}  // namespace tandem
