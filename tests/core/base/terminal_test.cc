#include "core/base/terminal.h"

#include <gmock/gmock.h>

namespace tandem {
namespace {

TEST(Wrapped, EndsLinesBetweenWords) {
  const std::vector<std::string> words = words_of("one two  three\nfour");
  EXPECT_THAT(words, testing::ElementsAre("one", "two", "three", "four"));
  EXPECT_EQ(wrapped(words, 18), "one two three four");
  EXPECT_EQ(wrapped(words, 17), "one two three\nfour");
  EXPECT_EQ(wrapped(words, 7), "one two\nthree\nfour");
  EXPECT_EQ(wrapped(words, 3, " +\n "), "one +\n two +\n three +\n four");
  EXPECT_EQ(wrapped({}, 80), "");
}

TEST(PrintLine, KeepsOneLineWhereThereIsNoTerminal) {
  const std::string line(200, 'a');
  testing::internal::CaptureStdout();
  print_line(stdout, line + " " + line);
  EXPECT_EQ(testing::internal::GetCapturedStdout(), line + " " + line + "\n");
}

TEST(PrintLine, DoesNotThrowWhereADiskIsFull) {
  std::FILE* full = std::fopen("/dev/full", "w");
  ASSERT_NE(full, nullptr);
  std::setvbuf(full, nullptr, _IONBF, 0);
  EXPECT_NO_THROW(print_line(full, "why something failed"));
  EXPECT_NE(std::ferror(full), 0);
  std::fclose(full);
}

}  // namespace
}  // namespace tandem
