// Scenarios, sweeps included; behind a line of "%%" what --set gives, one a part.

#include <nlohmann/json.hpp>

#include "core/model/custom.h"
#include "core/platform/topology_xml.h"
#include "core/scenario/scenario.h"
#include "tests/fuzz/fuzz.h"

namespace tandem {
namespace {

void use(const Scenario& point) {
  constexpr int kMembers = 64;
  const fuzz::File canonical;
  canonical.hold(to_json(point).dump());
  const Scenario again =
      fuzz::read_again([&] { return load_scenario(canonical.path()).points.at(0); });
  fuzz::require(to_json(again) == to_json(point), "is another point when it is read again");
  fuzz::require(point.period() > 0, "has no period");
  build_model(point.model);
  if (point.members() > kMembers) return;
  fuzz::require(point.hosts().size() == std::size_t(point.members()), "a member has no host");
  if (point.topology) topology_xml(*point.topology, kMembers);
}

}  // namespace
}  // namespace tandem

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tandem;
  static const fuzz::File file;
  constexpr std::size_t kMostUsed = 4;
  return fuzz::end_well([&] {
    const auto parts = fuzz::parts_of(fuzz::text_of(data, size), 1);
    file.hold(parts[0]);
    std::vector<Override> overrides;
    for (std::size_t i = 1; i < parts.size(); ++i)
      overrides.push_back(Override::set(std::string(parts[i])));
    const ScenarioFile scenario = load_scenario(file.path(), overrides);
    for (std::size_t i = 0; i < std::min(scenario.points.size(), kMostUsed); ++i)
      use(scenario.points[i]);
  });
}
