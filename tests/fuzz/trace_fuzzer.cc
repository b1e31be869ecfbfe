// Results as explain and export read them: run.json, and behind a line of "%%" trace.json.

#include "core/explain/critical_path.h"
#include "core/interchange/paje.h"
#include "tests/fuzz/fuzz.h"

namespace tandem {
namespace {

void use(const TracedPoint& point) {
  fuzz::require(!point.spans.empty(), "shows nothing");
  fuzz::require(!paje_trace(point).empty(), "is nothing as a Paje trace");
  const Scope scope{.workers = point.scenario.at("workers")};
  const EventGraph graph = event_graph(point);
  const std::vector<Moment> moments = replay(graph, point.network, {});
  critical_path(graph, point.network, moments, scope);
}

}  // namespace
}  // namespace tandem

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tandem;
  static const fuzz::File run, trace;
  static const fuzz::Folder folder;
  [[maybe_unused]] static const bool linked = [] {
    folder.link({"run.json"}, run);
    folder.link({"trace.json"}, trace);
    return true;
  }();
  const auto parts = fuzz::parts_of(fuzz::text_of(data, size), 2);
  run.hold(parts[0]);
  trace.hold(parts[1]);
  return fuzz::end_well([&] {
    const std::size_t last = count_points(folder.path()) - 1;
    use(read_traced_point(folder.path(), last));
  });
}
