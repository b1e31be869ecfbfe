// Text of platform files, as far as it is read without SimGrid.

#include "sim/flat_cluster.h"
#include "tests/fuzz/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tandem;
  return fuzz::end_well([&] {
    const std::string platform(fuzz::text_of(data, size));
    const auto cluster = find_flat_cluster(platform);
    fuzz::require(!cluster || hosts_in_ranges(platform) >= cluster->hosts(), "counts fewer hosts");
    if (cluster && cluster->hosts() >= 3)
      fuzz::require(find_flat_cluster(cluster->small(3))->hosts() == 3, "has other hosts");
  });
}
