#include "sim/burst.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "core/base/error.h"

namespace tandem {

double burst_of(const simgrid::s4u::Link& link) {
  const char* text = link.get_property("burst");
  if (text == nullptr) return 0;
  char* end = nullptr;
  const double bytes = std::strtod(text, &end);
  if (end != text && *end == '\0' && std::isfinite(bytes) && (bytes == 0 || bytes >= 1))
    return bytes;
  throw InputError(
      fmt::format("link {}: property burst is '{}', but has to be a number of "
                  "bytes, such as 17600",
                  link.get_cname(), text));
}

double burst_of(const std::vector<simgrid::s4u::Link*>& links) {
  double least = 0;
  for (const simgrid::s4u::Link* link : links) {
    const double burst = burst_of(*link);
    if (burst > 0) least = least > 0 ? std::min(least, burst) : burst;
  }
  return least;
}

}  // namespace tandem
