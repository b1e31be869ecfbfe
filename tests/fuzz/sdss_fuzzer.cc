// CSV files of SDSS.

#include <cmath>

#include "core/data/sdss.h"
#include "tests/fuzz/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tandem;
  static const fuzz::File file;
  file.hold(fuzz::text_of(data, size));
  DataRequest request{.name = "sdss_dr14", .path = file.path()};
  fuzz::end_well([&] { read_sdss(request, 1); });
  request.features = {"redshift"};
  return fuzz::end_well([&] {
    const DataSplits splits = read_sdss(request, 1);
    for (const float figure : splits.train.images)
      fuzz::require(std::isfinite(figure), "a feature is not finite");
  });
}
