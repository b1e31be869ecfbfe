#include "core/faults/slowness.h"

#include <algorithm>

namespace tandem {

double Slowness::factor(Seconds now, int iteration) const {
  double product = 1;
  for (const Span& span : spans_) {
    if (span.window.holds(span.window.in_iterations ? iteration : now)) product *= span.factor;
  }
  return product;
}

Seconds Slowness::next_change(Seconds now) const {
  Seconds next = kForever;
  for (const Span& span : spans_) {
    if (span.window.in_iterations) continue;
    for (const Seconds edge : {span.window.from, span.window.until})
      if (edge > now) next = std::min(next, edge);
  }
  return next;
}

Seconds Slowness::time(Seconds now, int iteration, Seconds work) const {
  Seconds end = now;
  while (true) {
    const double factor_now = factor(end, iteration);
    const Seconds change = next_change(end);
    if (end + work * factor_now <= change) return end - now + work * factor_now;
    work -= (change - end) / factor_now;
    end = change;
  }
}

}  // namespace tandem
