// IDX files: images, and behind a line of "%%" their labels.

#include "core/data/idx.h"
#include "core/data/image_folder.h"
#include "tests/fuzz/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tandem;
  static const fuzz::File images, labels;
  static const fuzz::Folder folder;
  [[maybe_unused]] static const bool linked = [] {
    folder.link({"train-images-idx3-ubyte", "t10k-images-idx3-ubyte"}, images);
    folder.link({"train-labels-idx1-ubyte", "t10k-labels-idx1-ubyte"}, labels);
    return true;
  }();
  const auto parts = fuzz::parts_of(fuzz::text_of(data, size), 2);
  images.hold(parts[0]);
  labels.hold(parts[1]);
  const DataRequest request{.name = "mnist", .path = folder.path()};
  fuzz::end_well([&] {
    const DatasetInfo info = describe_image_folder(request);
    fuzz::require(info.shape.height > 0 && info.shape.width > 0, "has no shape");
  });
  fuzz::end_well([&] { read_idx(labels.path(), 1); });
  return fuzz::end_well([&] { read_image_folder(request); });
}
