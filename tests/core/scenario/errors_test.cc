#include <gmock/gmock.h>

#include "tests/core/scenario/files.h"

namespace tandem {
namespace {

TEST(ScenarioErrors, NameWhatIsMissing) {
  EXPECT_EQ(error_of("batch_size: 2\niterations: 1\n"),
            "FILE:1:1: model is missing; give one, such as 'model: mnist_cnn'");
  EXPECT_EQ(error_of("model: mnist_cnn\niterations: 1\n"),
            "FILE:1:1: batch_size is missing; give one, such as 'batch_size: 32'");
  EXPECT_EQ(error_of("model: mnist_cnn\nbatch_size: 2\n"),
            "FILE:1:1: iterations is missing; give one, such as 'iterations: 100', or epochs");
  EXPECT_EQ(error_of(""),
            "FILE:1:1: the scenario is nothing, but has to be a map with keys such as name");
}

TEST(ScenarioErrors, NameTheNearestModelAndDataSet) {
  EXPECT_THAT(error_of("model: resnt50\nbatch_size: 2\niterations: 1\n"),
              testing::StartsWith("FILE:1:8: there is no model 'resnt50'; did you mean "
                                  "'resnet50'? Known: alexnet, "));
  EXPECT_THAT(
      error_of("model: mnist_cnn\ndata: {name: minst}\nbatch_size: 2\niterations: 1\n"),
      testing::StartsWith("FILE:2:14: there is no data set 'minst'; did you mean 'mnist'?"));
}

TEST(ScenarioErrors, NameTheNearestPlatform) {
  EXPECT_THAT(error_of(kRight + "platform: gcp_k8\n"),
              testing::AllOf(testing::StartsWith("FILE:5:11: platform: no gcp_k8.xml in "),
                             testing::EndsWith("; did you mean 'gcp_k80'?")));
}

TEST(ScenarioErrors, NameTheNearestDeviceAlsoOfThoseThatCompute) {
  EXPECT_THAT(error_of(kRight + "device: cudda\n"),
              testing::EndsWith("/devices; did you mean 'cuda'?"));
  EXPECT_THAT(error_of(kRight + "device: k8\n"),
              testing::EndsWith("/devices; did you mean 'k80'?"));
  // What is paced has a profile.
  EXPECT_THAT(error_of(kRight + "device: paced:cudda\n"),
              testing::Not(testing::HasSubstr("'cuda'")));
}

TEST(ScenarioErrors, OfAMissingFileNameIt) {
  EXPECT_THROW(load_scenario("/nowhere/a.yaml"), InputError);
}

TEST(ScenarioErrors, OfSetNameTheirText) {
  EXPECT_EQ(error_of(kRight, {"workers=0"}),
            "--set workers=0: workers is '0', but has to be a whole number of at least 1");
  EXPECT_EQ(error_of(kRight, {"wrkers=2"}),
            "--set wrkers=2: unknown key 'wrkers'; did you mean 'workers'?");
  for (const char* text : {"workers.=3", ".workers=3", "algorithm..name=ring", "=3"}) {
    EXPECT_EQ(error_of(kRight, {text}),
              std::string("--set ") + text + ": write it as key=value, such as workers=4");
  }
  EXPECT_EQ(error_of(kRight, {"workers"}),
            "--set workers: write it as key=value, such as workers=4");
  EXPECT_EQ(
      error_of(kRight, {"algorithm.bukket=1 MB"}),
      "--set algorithm.bukket=1 MB: unknown key 'bukket' in algorithm; did you mean 'bucket'?");
}

TEST(ScenarioErrors, NameTheOptionThatWasWritten) {
  const TemporaryScenario file(kRight);
  try {
    load_scenario(file.path(), {{"workers=0", "-n 0"}});
    ADD_FAILURE();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "-n 0: workers is '0', but has to be a whole number of at least 1");
  }
}

TEST(ScenarioErrors, OfADottedSetBlameItAndNotTheFile) {
  EXPECT_EQ(
      error_of(kRight, {"batch_size.x=3"}),
      "--set batch_size.x=3: batch_size is a map, but has to be a whole number of at least 1");
  // Also where the key above is swept: it is not passed over.
  for (const char* sweep : {"sweep: {workers: [1, 2]}\n", "sweep: [{workers: 1}, {workers: 2}]\n"})
    EXPECT_THAT(error_of(kRight + sweep, {"workers.x=3"}),
                testing::StartsWith("--set workers.x=3: workers is a map, but has to be a"));
  EXPECT_THAT(
      error_of(kRight + "sweep: {algorithm: [parameter_server, ring]}\n", {"algorithm.servers=2"}),
      testing::StartsWith("--set algorithm.servers=2: algorithm.servers belongs to "));
}

TEST(ScenarioErrors, EndInSelfReferenceAndDepth) {
  EXPECT_THAT(error_of(kRight + "name: &a [*a]\n"), testing::HasSubstr("nested too deeply"));
  std::string deep = "x";
  for (int i = 0; i < 100; ++i) deep += ".x";
  EXPECT_THAT(error_of(kRight, {deep + "=1"}),
              testing::EndsWith("write it as key=value, such as workers=4"));
  EXPECT_THAT(error_of(kRight + "sweep:\n  " + deep + ": [1]\n"),
              testing::EndsWith("is no key that a sweep can set"));
}

// yaml-cpp makes an endless list of documents of these.
TEST(ScenarioErrors, EndInSignsThatBeginNothing) {
  EXPECT_EQ(error_of(", "), "FILE:1:1: this is no YAML: nothing begins with this sign");
  EXPECT_THAT(error_of("} x: 1\n"), testing::StartsWith("FILE:1:1: this is no YAML"));
  EXPECT_THAT(error_of(kRight, {"workers=, 2"}),
              testing::StartsWith("--set workers=, 2: this is no YAML"));
}

TEST(ScenarioErrors, EndInSwitchesThatNoMemoryHolds) {
  for (const char* switches : {"fat_tree, children: [2], parents: [1000000000]",
                               "fat_tree, children: [2, 2], parents: [100000, 100000]",
                               "dragonfly, groups: 1, routers: 200000",
                               "dragonfly, groups: 1, chassis: 9999, routers: 99"})
    EXPECT_THAT(error_of(kRight + "platform: {bandwidth: 1 GB/s, latency: 1 us, topology: " +
                         switches + "}\n"),
                testing::HasSubstr("links of switches, but at most 10000000 are possible"));
}

TEST(ScenarioErrors, AreMoreThreadsThanAnyMachineHasCores) {
  EXPECT_EQ(error_of(kRight + "threads: 1024\n"), "no error");
  EXPECT_THAT(error_of(kRight + "threads: 1025\n"),
              testing::HasSubstr("threads is 1025, but at most 1024 are possible; give fewer"));
}

TEST(ScenarioErrors, EndInSweepsThatNoMemoryHolds) {
  std::string sweep = "sweep:\n";
  for (const char* key : {"workers", "seed", "threads", "evaluate_every", "warmup_iterations"}) {
    sweep += std::string("  ") + key + ": [1";
    for (int i = 2; i <= 100; ++i) sweep += ", " + std::to_string(i);
    sweep += "]\n";
  }
  EXPECT_EQ(error_of(kRight + sweep),
            "FILE:6:3: sweep has 10000000000 points, but at most 100000 of such a scenario are "
            "possible; make several sweeps of it");
}

// The result folder is results/NAME, and NAME by default the file's own.
TEST(ScenarioErrors, KeepResultsInTheirFolder) {
  const auto folder = std::filesystem::path(testing::TempDir()) / "names_of_files";
  std::filesystem::create_directories(folder);
  for (const char* name : {"...yaml", "..yaml", "a\nb.yaml", "\xff.yaml"}) {
    const std::filesystem::path file = folder / name;
    std::ofstream(file) << kRight;
    try {
      load_scenario(file);
      ADD_FAILURE() << name;
    } catch (const InputError& error) {
      EXPECT_THAT(error.what(), testing::HasSubstr("name is missing, and the file's own can't name "
                                                   "a folder; give a name"));
    }
    EXPECT_EQ(load_scenario(file, sets({"name=good"})).points[0].name, "good");
  }
  std::filesystem::remove_all(folder);
  for (const char* name : {"../../x", "/x", ".", "..", "'a\\nb'"})
    EXPECT_THAT(error_of(kRight, {std::string("name=\"") + name + "\""}),
                testing::HasSubstr("it names a folder"))
        << name;
}

}  // namespace
}  // namespace tandem
