#include "core/command/hostfile.h"

#include <gmock/gmock.h>

#include "core/base/error.h"
#include "tests/core/data/files.h"

namespace tandem {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

TEST(Hostfile, SlotsAreFilledHostByHost) {
  const TemporaryFolder folder;
  const auto file =
      folder.write("hosts", "# ours\na slots=1\n\nb\nc slots = 1 max_slots=9  # old\na\n");
  EXPECT_THAT(slots_of(file), ElementsAre("a", "a", "b", "c"));
}

TEST(Hostfile, WithoutAHostIsAnError) {
  const TemporaryFolder folder;
  const auto file = folder.write("hosts", "\n# none yet\n");
  EXPECT_THAT([&] { slots_of(file); },
              ThrowsMessage<InputError>(HasSubstr("hosts: names no host; write a line")));
}

}  // namespace
}  // namespace tandem
