#include "core/command/choices.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"

namespace tandem {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::Not;

Scenario scenario(const std::string& algorithm, int workers = 4) {
  Scenario scenario;
  scenario.model.name = "mnist_cnn";
  scenario.batch_size = 8;
  scenario.iterations = 1;
  scenario.algorithm.name = algorithm;
  scenario.workers = workers;
  return scenario;
}

std::vector<std::string> keys(const Scenario& scenario,
                              const std::vector<std::string>& allowed = {}) {
  std::vector<std::string> keys;
  for (const Choice& choice : choices_of(scenario, allowed)) keys.push_back(choice.key);
  return keys;
}

std::vector<std::string> texts(const Choice& choice) {
  std::vector<std::string> texts;
  for (const ChoiceValue& value : choice.values) texts.push_back(value.text);
  return texts;
}

TEST(Choices, AreThoseOfTheAlgorithm) {
  EXPECT_THAT(keys(scenario("all_reduce")), ElementsAre("collective", "overlap", "bucket"));
  EXPECT_THAT(keys(scenario("parameter_server")),
              ElementsAre("servers", "overlap", "bucket", "priority", "early_pull"));
  Scenario zero = scenario("zero");
  EXPECT_THAT(keys(zero), ElementsAre("overlap", "bucket"));
  zero.algorithm.stage = 3;
  EXPECT_THAT(keys(zero), ElementsAre("overlap", "bucket", "prefetch"));
  EXPECT_THROW(keys(scenario("none", 1)), InputError);
  EXPECT_THROW(keys(scenario("sgp")), InputError);
}

TEST(Choices, LeaveWhatIsLearnedAloneUnlessAllowed) {
  EXPECT_THAT(keys(scenario("local_sgd")), ElementsAre("collective"));
  EXPECT_THAT(keys(scenario("local_sgd"), {"local_steps"}),
              ElementsAre("collective", "local_steps"));
  EXPECT_THAT(keys(scenario("all_reduce"), {"compression"}), Contains("compression"));
  try {
    keys(scenario("all_reduce"), {"local_steps"});
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(),
                 "--allow local_steps: algorithm all_reduce has compression to allow");
  }
}

TEST(Choices, HaveTheScenariosOwnValueFirstAndTandemsAmongThem) {
  Scenario own = scenario("all_reduce");
  own.algorithm.bucket_bytes = 3'000'000;
  own.algorithm.collective = "halving_doubling";
  const std::vector<Choice> choices = choices_of(own, {});
  EXPECT_EQ(choices[0].values[0].text, "halving_doubling");
  EXPECT_EQ(choices[0].values[choices[0].standard].text, "ring");
  EXPECT_THAT(texts(choices[0]), Contains("auto"));
  EXPECT_THAT(texts(choices[0]), Not(Contains("hierarchical"))) << "which has to know node_size";
  EXPECT_EQ(choices[2].values[0].text, "3 MB");
  EXPECT_EQ(choices[2].values[choices[2].standard].text, "25 MB");
}

TEST(Choices, SetWhatTheySay) {
  const std::vector<Choice> choices = choices_of(scenario("parameter_server"), {});
  EXPECT_THAT(texts(choices[0]), ElementsAre("1", "2", "4"));
  AlgorithmSpec algorithm;
  choices[0].values[2].set(algorithm);
  choices[1].values[1].set(algorithm);
  EXPECT_EQ(algorithm.server_count, 4);
  EXPECT_FALSE(algorithm.overlap);
}

}  // namespace
}  // namespace tandem
