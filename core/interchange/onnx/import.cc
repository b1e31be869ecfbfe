#include "core/interchange/onnx/import.h"

#include <fmt/format.h>

#include <boost/interprocess/file_mapping.hpp>
#include <boost/interprocess/mapped_region.hpp>

#include "core/base/error.h"
#include "core/interchange/onnx/gelu.h"
#include "core/interchange/onnx/read.h"
#include "core/interchange/onnx/translation.h"

namespace tandem::onnx {
namespace {

namespace ipc = boost::interprocess;

/// Mapped, so that weights are never read.
ipc::mapped_region map_file(const std::filesystem::path& path) {
  std::error_code error;
  if (!std::filesystem::exists(path, error)) throw InputError("there is no such file");
  if (!std::filesystem::is_regular_file(path, error))
    throw InputError("is no file; give an ONNX model file");
  if (std::filesystem::file_size(path, error) == 0)
    throw InputError("is empty; give an ONNX model file");
  try {
    return {ipc::file_mapping(path.c_str(), ipc::read_only), ipc::read_only};
  } catch (const ipc::interprocess_exception& failure) {
    throw InputError(fmt::format("can't be read: {}", failure.what()));
  }
}

}  // namespace

ImportedModel import_model(const std::filesystem::path& path, const std::optional<Shape>& input) {
  try {
    const ipc::mapped_region file = map_file(path);
    return import_bytes({static_cast<const char*>(file.get_address()), file.get_size()}, input);
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: {}", path.string(), error.what()));
  }
}

ImportedModel import_bytes(std::string_view bytes, const std::optional<Shape>& input) {
  Graph graph = read_model(bytes);
  join_gelus(graph);
  return Translation(graph, input).run();
}

}  // namespace tandem::onnx
