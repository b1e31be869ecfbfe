// Calibrations of platforms.

#include "core/network/calibration.h"
#include "tests/fuzz/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tandem;
  static const fuzz::File file;
  file.hold(fuzz::text_of(data, size));
  return fuzz::end_well([&] {
    const Calibration calibration = Calibration::load(file.path());
    calibration.messages.beyond({.latency = 1e-5, .bandwidth = 1e9, .burst = 16e3});
    file.hold(calibration.text());
    fuzz::read_again([&] { return Calibration::load(file.path()); });
  });
}
