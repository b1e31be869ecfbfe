// libFuzzer's target for ONNX files: whatever the bytes, an import ends in layers or an InputError.

#include <cstdint>
#include <string_view>

#include "core/base/error.h"
#include "core/interchange/onnx/import.h"
#include "core/model/custom.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const auto model = tandem::onnx::import_bytes({reinterpret_cast<const char*>(data), size});
    tandem::build_custom_model("fuzzed", model.input, model.layers);
  } catch (const tandem::InputError&) {
  }
  return 0;
}
