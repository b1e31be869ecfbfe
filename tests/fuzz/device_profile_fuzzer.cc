// Device profiles.

#include "core/model/device_profile.h"
#include "core/model/zoo.h"
#include "tests/fuzz/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tandem;
  static const fuzz::File file;
  static const fuzz::Folder folder;
  static const LayerGraph graph = build_model("mnist_cnn");
  file.hold(fuzz::text_of(data, size));
  return fuzz::end_well([&] {
    const DeviceProfile profile = DeviceProfile::load(file.path());
    const std::filesystem::path saved = folder.path() / "saved.yaml";
    profile.save(saved);
    fuzz::read_again([&] { return DeviceProfile::load(saved); });
    KernelTimes(profile, graph, 32);
  });
}
