#include "core/base/processors.h"

#include <algorithm>

namespace tandem {

cpu_set_t allowed_processors() {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  sched_getaffinity(0, sizeof allowed, &allowed);  // where it fails there are none
  return allowed;
}

int processor_count() {
  const cpu_set_t allowed = allowed_processors();
  return std::max(1, CPU_COUNT(&allowed));
}

}  // namespace tandem
