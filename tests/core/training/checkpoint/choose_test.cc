// Which checkpoint a run goes on from: the newest that is whole and of this training.

#include "core/training/checkpoint/choose.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "core/base/error.h"
#include "core/training/checkpoint/keep.h"

namespace tandem {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

Scenario training() {
  Scenario scenario;
  scenario.name = "chosen";
  scenario.model.name = "mnist_cnn";
  scenario.batch_size = 8;
  scenario.iterations = 100;
  scenario.workers = 2;
  return scenario;
}

/// A folder with checkpoints of training() after 10, 20 and 30 iterations.
class Choice : public testing::Test {
 protected:
  Choice() {
    folder_ = fs::path(testing::TempDir()) /
              testing::UnitTest::GetInstance()->current_test_info()->name();
    fs::remove_all(folder_);
    for (const int iteration : {10, 20, 30}) save(iteration, training());
  }
  ~Choice() override { fs::remove_all(folder_); }

  void save(int iteration, const Scenario& scenario) const {
    const fs::path checkpoint = checkpoint_path(folder_, iteration);
    Manifest manifest{.iteration = iteration,
                      .next_batch = 0,
                      .saved = {.workers = scenario.workers},
                      .training = training_identity(scenario),
                      .files = {}};
    int number = 1;
    for (int rank = 0; rank < scenario.workers; ++rank) {
      manifest.files.push_back(write_member_file(
          member_path(checkpoint, rank), {.rank = rank, .workers = scenario.workers},
          [&](StateVisitor& visitor) { visit_value(visitor, "number", number); }));
    }
    manifest.save(checkpoint);
  }

  /// As a run does that went on after `from` iterations.
  void complete(int from, int iteration, int keep) const {
    Scenario scenario = training();
    scenario.checkpoint = {.every = 5, .keep = keep, .path = folder_, .resume = {}};
    KeptCheckpoints kept(folder_, scenario, from);
    save(iteration, scenario);
    kept.add(iteration);
  }

  std::string refusal_of(const Scenario& scenario) const {
    try {
      choose_checkpoint(folder_, scenario);
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  }

  fs::path folder_;
};

TEST_F(Choice, IsTheNewest) {
  const CheckpointChoice choice = choose_checkpoint(folder_, training());
  EXPECT_EQ(choice.iteration, 30);
  EXPECT_TRUE(choice.refused.empty());
}

TEST_F(Choice, IsNoneWhereThereIsNone) {
  EXPECT_FALSE(choose_checkpoint(folder_ / "elsewhere", training()).iteration);
}

TEST_F(Choice, PassesOverWhatIsIncomplete) {
  fs::remove(checkpoint_path(folder_, 30) / "manifest.json");
  const CheckpointChoice choice = choose_checkpoint(folder_, training());
  EXPECT_EQ(choice.iteration, 20);
  EXPECT_TRUE(choice.refused.empty());
}

TEST_F(Choice, TellsWhatIsDamaged) {
  const fs::path newest = checkpoint_path(folder_, 30), before = checkpoint_path(folder_, 20);
  fs::resize_file(member_path(newest, 1), 20);
  std::ofstream(before / "manifest.json", std::ios::app) << "}";
  const CheckpointChoice choice = choose_checkpoint(folder_, training());
  EXPECT_EQ(choice.iteration, 10);
  EXPECT_THAT(choice.refused, ElementsAre(HasSubstr("iteration-30: member-1 has 20 bytes, but "),
                                          HasSubstr("iteration-20: manifest.json is corrupted")));
}

TEST_F(Choice, DoesNotWaitForWhoeverWouldWriteToAPipe) {
  const fs::path newest = checkpoint_path(folder_, 30), before = checkpoint_path(folder_, 20);
  for (const fs::path& file : {newest / "manifest.json", member_path(before, 0)}) {
    fs::remove(file);
    ASSERT_EQ(mkfifo(file.c_str(), 0600), 0);
  }
  EXPECT_THAT(choose_checkpoint(folder_, training()).refused,
              ElementsAre(HasSubstr("iteration-30: manifest.json is no file"),
                          HasSubstr("iteration-20: member-0 has 0 bytes, but ")));
}

TEST_F(Choice, SeesAChangedManifest) {
  const fs::path manifest = checkpoint_path(folder_, 30) / "manifest.json";
  std::string text;
  std::getline(std::ifstream(manifest), text, '\0');
  text.replace(text.find("\"next_batch\": 0"), 15, "\"next_batch\": 9");
  std::ofstream(manifest) << text;
  EXPECT_THAT(choose_checkpoint(folder_, training()).refused,
              ElementsAre(HasSubstr("manifest.json is corrupted: its checksum is wrong")));
}

TEST_F(Choice, LeavesForeignOnesAlone) {
  Scenario other = training();
  other.batch_size = 16;
  save(40, other);
  const CheckpointChoice choice = choose_checkpoint(folder_, training());
  EXPECT_EQ(choice.iteration, 30);
  EXPECT_THAT(choice.refused, ElementsAre(HasSubstr("iteration-40: it is of another training: its "
                                                    "batch_size is 16, here it is 8")));
  other.batch_size = 32;
  EXPECT_THAT(refusal_of(other), AllOf(HasSubstr("any of 4 checkpoints, the newest of which is "),
                                       HasSubstr("here it is 32; remove ")));
}

TEST_F(Choice, GoesByWhatDecidesAboutTheWeights) {
  const auto refused = [&](void (*change)(Scenario&)) {
    Scenario scenario = training();
    change(scenario);
    return refusal_of(scenario);
  };
  EXPECT_EQ(refused([](Scenario& s) { s.iterations = 300; }), "");
  EXPECT_EQ(refused([](Scenario& s) { s.workers = 5; }), "");
  EXPECT_EQ(refused([](Scenario& s) { s.name = "renamed"; }), "");
  EXPECT_EQ(refused([](Scenario& s) { s.data.path = "/elsewhere"; }), "");
  EXPECT_THAT(refused([](Scenario& s) { s.model.name = "alexnet"; }), HasSubstr("its model.name"));
  EXPECT_THAT(refused([](Scenario& s) { s.seed = 2; }), HasSubstr("its seed is 1, here it is 2"));
  EXPECT_THAT(refused([](Scenario& s) { s.clip_norm = 1; }),
              HasSubstr("its clip_norm is none, here it is 1"));
  EXPECT_THAT(refused([](Scenario& s) { s.algorithm.name = "sgp"; }),
              HasSubstr("its algorithm.name"));
}

TEST_F(Choice, OfOtherWorkersNeedsIterations) {
  Scenario scenario = training();
  scenario.workers = 3;
  EXPECT_EQ(choose_checkpoint(folder_, scenario).iteration, 30);
  scenario.iterations.reset();
  scenario.epochs = 2;
  EXPECT_THAT(refusal_of(scenario), HasSubstr("epochs are other iterations on 3"));
}

TEST_F(Choice, KeepsTheNewestAndNoLeftovers) {
  fs::create_directories(checkpoint_path(folder_, 15));
  fs::create_directories(checkpoint_path(folder_, 35));
  complete(10, 30, 1);
  EXPECT_THAT(all_checkpoints(folder_), ElementsAre(35, 30));
}

// Else the damaged one would keep a good one from being kept.
TEST_F(Choice, KeepsNoneThatWasRefused) {
  fs::resize_file(member_path(checkpoint_path(folder_, 20), 0), 20);
  complete(10, 25, 2);
  EXPECT_THAT(all_checkpoints(folder_), ElementsAre(30, 25, 10));
  complete(25, 40, 2);
  EXPECT_THAT(all_checkpoints(folder_), ElementsAre(40, 25));
}

TEST_F(Choice, NeitherCountsNorRemovesThoseOfOtherTrainings) {
  Scenario other = training();
  other.batch_size = 16;
  save(20, other);
  save(35, other);
  complete(30, 40, 2);
  EXPECT_THAT(all_checkpoints(folder_), ElementsAre(40, 35, 30, 20));
}

TEST_F(Choice, RemovesNoCheckpointWithWhatOthersHaveThere) {
  std::ofstream(checkpoint_path(folder_, 30) / "thesis.tex") << "precious";
  remove_checkpoint(checkpoint_path(folder_, 30));
  EXPECT_TRUE(fs::exists(checkpoint_path(folder_, 30) / "thesis.tex"));
  EXPECT_EQ(complete_checkpoints(folder_).front(), 30);
  fs::remove(checkpoint_path(folder_, 30) / "thesis.tex");
  remove_checkpoint(checkpoint_path(folder_, 30));
  EXPECT_FALSE(fs::exists(checkpoint_path(folder_, 30)));
}

}  // namespace
}  // namespace tandem
