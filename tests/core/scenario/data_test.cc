#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "tests/core/scenario/files.h"

namespace tandem {
namespace {

DataSpec data_of(const std::string& content) {
  return load_text(kShort + "data: " + content + "\n").points.at(0).data;
}

std::string error(const std::string& content) {
  return error_of(kShort + "data: " + content + "\n");
}

TEST(DataSpec, ReadsEveryKey) {
  const DataSpec images = data_of("{name: cifar10, resize: [64, 48], prefetch: 2}");
  ASSERT_TRUE(images.resize);
  EXPECT_EQ(images.resize->height, 64);
  EXPECT_EQ(images.resize->width, 48);
  EXPECT_EQ(images.prefetch, 2);
  const DataSpec vectors = data_of("{name: sdss_dr17, features: [u, redshift]}");
  EXPECT_THAT(vectors.features, testing::ElementsAre("u", "redshift"));
}

TEST(DataSpec, HasDefaults) {
  const DataSpec data = data_of("mnist");
  EXPECT_FALSE(data.resize);
  EXPECT_FALSE(data.prefetch);
  EXPECT_TRUE(data.features.empty());
}

TEST(DataSpec, ComesBackFromJson) {
  for (const char* content : {"{name: cifar10, resize: [64, 48], prefetch: 2}",
                              "{name: sdss_dr14, features: [u, g], path: a.csv}"}) {
    const Scenario scenario = load_text(kShort + "data: " + content + "\n").points.at(0);
    const std::string text = to_json(scenario).dump();
    EXPECT_EQ(to_json(load_text(text).points.at(0)).dump(), text);
  }
}

TEST(DataSpecErrors, SayWhatWouldBeRight) {
  EXPECT_EQ(error("{name: mnist, resize: 32}"),
            "FILE:4:29: data.resize is '32', but has to be [height, width], such as [224, 224]");
  EXPECT_EQ(error("{name: mnist, resize: [32]}"),
            "FILE:4:29: data.resize is a list, but has to be [height, width], such as [224, 224]");
  EXPECT_EQ(error("{name: mnist, resize: [32, 0]}"),
            "FILE:4:34: data.resize is '0', but has to be a whole number of at least 1");
  EXPECT_EQ(error("{name: synthetic, resize: [32, 32]}"),
            "FILE:4:33: data.resize is of images in files; 'synthetic' has none, so leave it out");
  EXPECT_EQ(error("{name: synthetic, path: here}"),
            "FILE:4:31: data.path is of data sets in files; 'synthetic' has none, so leave it out");
  EXPECT_EQ(error("{name: text, resize: [32, 32]}"),
            "FILE:4:28: data.resize is of images in files; 'text' has none, so leave it out");
  EXPECT_EQ(error("{name: mnist, prefetch: -1}"),
            "FILE:4:31: data.prefetch is '-1', but has to be a whole number of at least 0");
  EXPECT_EQ(error("{name: mnist, features: [u]}"),
            "FILE:4:31: data.features is of data sets of vectors; 'mnist' has none, so leave it "
            "out");
  EXPECT_EQ(error("{name: sdss_dr14, features: u}"),
            "FILE:4:35: data.features is 'u', but has to be a list, such as [ra, dec, u, g, r, i, "
            "z, redshift, mjd]");
  EXPECT_THAT(error("{name: sdss_dr14, features: [u, redshif]}"),
              testing::HasSubstr("no feature 'redshif'; did you mean 'redshift'?"));
  EXPECT_EQ(error("{name: sdss_dr14, features: [u, u]}"), "FILE:4:39: feature 'u' is named twice");
}

}  // namespace
}  // namespace tandem
