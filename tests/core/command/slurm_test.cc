#include "core/command/slurm.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tandem {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(ArrayScript, RunsOnePointATaskWithItsWordsQuoted) {
  const std::string script = array_script(
      "a b\n#SBATCH --x", {"one\nexit 1", "two"},
      {"tandem", "simulate", "it's.yaml", "--set", "algorithm.bucket=1 MB"}, "/some where", 2.1e9);
  EXPECT_THAT(script, HasSubstr("#SBATCH --job-name=a_b__SBATCH_--x\n"));
  EXPECT_THAT(script, HasSubstr("#SBATCH --array=1-2\n"));
  EXPECT_THAT(script, HasSubstr("#SBATCH --mem=2100M\n"));
  EXPECT_THAT(script, HasSubstr("#   1: one exit 1\n#   2: two\n"));
  EXPECT_THAT(script, HasSubstr("\ncd '/some where'\n"));
  EXPECT_THAT(script,
              HasSubstr("exec tandem simulate 'it'\\''s.yaml' --set 'algorithm.bucket=1 MB' "
                        "-j 1 --points \"$points\"\n"));
}

TEST(ArrayScript, AsksForWhatWasAsked) {
  ScenarioOptions options;
  options.scenario = "a.yaml";
  options.sets = {"workers=4"};
  options.platform = "p.xml";
  options.device = "k80";
  options.chakra = true;
  const std::vector<std::string> command = array_command(options, "/out");
  EXPECT_THAT(std::vector(command.begin() + 1, command.end()),
              testing::ElementsAre("simulate", "a.yaml", "--set", "workers=4", "--platform",
                                   "p.xml", "--device", "k80", "--chakra", "--out", "/out"));
}

TEST(ArrayScript, GivesATaskSeveralPointsWhereThereAreMany) {
  const std::string script =
      array_script("many", std::vector<std::string>(2500, "x"), {"tandem"}, "/", 0);
  EXPECT_THAT(script, HasSubstr("#SBATCH --array=1-834\n"));
  EXPECT_THAT(script, HasSubstr("first=$(((SLURM_ARRAY_TASK_ID - 1) * 3 + 1))\n"));
  EXPECT_THAT(script, HasSubstr("points=$first-$((last < 2500 ? last : 2500))\n"));
  EXPECT_THAT(array_script("few", {"x"}, {"tandem"}, "/", 0), Not(HasSubstr("first=")));
}

}  // namespace
}  // namespace tandem
