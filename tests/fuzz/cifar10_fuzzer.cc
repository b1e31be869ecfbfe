// CIFAR-10's binary files: the training ones, and behind a line of "%%" the test one; as they are,
// and filled up to whole rows.

#include "core/data/cifar10.h"
#include "tests/fuzz/fuzz.h"

namespace {

std::string in_whole_rows(std::string_view bytes) {
  constexpr std::size_t kRowBytes = 1 + 3 * 32 * 32;
  std::string rows(bytes);
  rows.resize((bytes.size() + kRowBytes - 1) / kRowBytes * kRowBytes);
  return rows;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tandem;
  static const fuzz::File train, test;
  static const fuzz::Folder folder;
  [[maybe_unused]] static const bool linked = [] {
    folder.link({"data_batch_1.bin", "data_batch_2.bin", "data_batch_3.bin", "data_batch_4.bin",
                 "data_batch_5.bin"},
                train);
    folder.link({"test_batch.bin"}, test);
    return true;
  }();
  const DataRequest request{.name = "cifar10", .path = folder.path()};
  const auto parts = fuzz::parts_of(fuzz::text_of(data, size), 2);
  train.hold(parts[0]);
  test.hold(parts[1]);
  fuzz::end_well([&] { describe_cifar10(request); });
  fuzz::end_well([&] { read_cifar10(request); });
  train.hold(in_whole_rows(parts[0]));
  test.hold(in_whole_rows(parts[1]));
  return fuzz::end_well([&] { read_cifar10(request); });
}
