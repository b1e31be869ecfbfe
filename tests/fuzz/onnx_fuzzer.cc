// ONNX files.

#include "core/interchange/onnx/import.h"
#include "core/model/custom.h"
#include "tests/fuzz/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tandem;
  return fuzz::end_well([&] {
    const auto model = onnx::import_bytes(fuzz::text_of(data, size));
    build_custom_model("fuzzed", model.input, model.layers);
  });
}
