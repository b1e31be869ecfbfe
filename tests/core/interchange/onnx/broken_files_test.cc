// Files that are broken, or none of ONNX: one line, no crash, and no memory to speak of.

#include <gmock/gmock.h>

#include <fstream>

#include "core/base/atomic_file.h"
#include "core/base/error.h"
#include "core/base/random.h"
#include "core/interchange/onnx/import.h"
#include "tests/core/interchange/onnx/made_file.h"
#include "tests/core/interchange/onnx/model_bytes.h"

namespace tandem::onnx {
namespace {

using testing::EndsWith;
using testing::HasSubstr;

std::string error_of(const std::filesystem::path& path) {
  try {
    import_model(path);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

std::string error_of_bytes(const std::string& bytes) {
  return error_of(MadeFile(bytes).path());
}

std::string whole_model() {
  return read_file(std::filesystem::path(TANDEM_CORE_TEST_FOLDER) /
                   "interchange/onnx/models/mnist_cnn.onnx");
}

TEST(BrokenOnnxFile, IsNamed) {
  EXPECT_EQ(error_of("/nowhere/model.onnx"), "/nowhere/model.onnx: there is no such file");
  EXPECT_THAT(error_of("/"), HasSubstr("/: is no file"));
  EXPECT_THAT(error_of_bytes(""), EndsWith(".onnx: is empty; give an ONNX model file"));
}

TEST(BrokenOnnxFile, OfAnotherKindIsRefused) {
  EXPECT_THAT(error_of_bytes("name: demo\nmodel: mnist_cnn\n"), HasSubstr("is no ONNX model"));
  EXPECT_THAT(error_of_bytes("PK\x03\x04 a zip file"), HasSubstr("is no ONNX model"));
  EXPECT_THAT(error_of_bytes(std::string(1000, '\0')), HasSubstr("is no ONNX model"));
}

TEST(BrokenOnnxFile, CutAnywhereIsRefused) {
  const std::string whole = whole_model();
  ASSERT_EQ(error_of_bytes(whole), "");
  for (std::size_t size = 1; size < whole.size(); size += 29) {
    EXPECT_THAT(error_of_bytes(whole.substr(0, size)), HasSubstr("ONNX model")) << size;
  }
}

TEST(BrokenOnnxFile, WithChangedBytesIsReadOrRefused) {
  const std::string whole = whole_model();
  RandomStream random(7, 0);
  int refused = 0;
  for (int i = 0; i < 3000; ++i) {
    std::string bytes = whole;
    const auto place = random.below(bytes.size());
    bytes[place] = static_cast<char>(random.below(256));
    const std::string error = error_of_bytes(bytes);  // any other exception fails the test
    EXPECT_EQ(error.find('\n'), std::string::npos);
    refused += error.empty() ? 0 : 1;
  }
  EXPECT_GT(refused, 300);
}

TEST(BrokenOnnxFile, OfEndlessPartsIsRefused) {
  std::string graph;
  protozero::pbf_writer writer(graph);
  for (int i = 0; i < 1'100'000; ++i) writer.add_message(1, std::string());  // empty nodes
  std::string bytes;
  protozero::pbf_writer(bytes).add_message(7, graph);
  EXPECT_THAT(error_of_bytes(bytes), HasSubstr("has more than 1000000 parts"));
}

TEST(BrokenOnnxFile, ThatReadsItselfIsRefused) {
  ModelBytes model;
  model.input("x", {0, 4}).node("Add", {"x", "y"}, {"y"}).output("y");
  EXPECT_THAT(error_of_bytes(model.bytes()), HasSubstr("reads 'y', which nothing before it makes"));
}

}  // namespace
}  // namespace tandem::onnx
