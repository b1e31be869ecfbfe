#include "core/record/journal.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

namespace tandem {
namespace {

struct File {
  ~File() { std::filesystem::remove(path); }
  const std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("journal-test-" + std::to_string(getpid()));
};

TEST(Journal, IsReadAsItIsWritten) {
  const File file;
  const Journal journal(file.path);
  JournalReader reader(file.path);
  EXPECT_TRUE(reader.read().empty());
  const Seconds before = time_since_1970();
  journal.note(JobMoment::kBegins, 7);
  journal.note(JobMoment::kIterates, 8, 0.25);
  const std::vector<JournalEntry> entries = reader.read();
  ASSERT_EQ(entries.size(), 2);
  EXPECT_EQ(entries[0].moment, JobMoment::kBegins);
  EXPECT_EQ(entries[0].number, 7);
  EXPECT_NEAR(entries[0].at, before, 60);
  EXPECT_EQ(entries[1].moment, JobMoment::kIterates);
  EXPECT_EQ(entries[1].duration, 0.25);
  journal.note(JobMoment::kFails, 1);
  journal.note(JobMoment::kDisturbed, 0);
  const std::vector<JournalEntry> last = reader.read();
  ASSERT_EQ(last.size(), 2);
  EXPECT_EQ(last[0].moment, JobMoment::kFails);
  EXPECT_EQ(last[1].moment, JobMoment::kDisturbed);
  EXPECT_TRUE(reader.read().empty());
}

TEST(Journal, HalfALineIsLeftForLater) {
  const File file;
  JournalReader reader(file.path);
  std::ofstream out(file.path);
  out << "10.5 writ" << std::flush;
  EXPECT_TRUE(reader.read().empty());
  out << "ten 4 0\nnonsense\n" << std::flush;
  const std::vector<JournalEntry> entries = reader.read();
  ASSERT_EQ(entries.size(), 1);
  EXPECT_EQ(entries[0].moment, JobMoment::kWritten);
  EXPECT_EQ(entries[0].at, 10.5);
}

TEST(Journal, WithoutAFileNothingIsWritten) {
  Journal({}).note(JobMoment::kBegins, 0);
}

}  // namespace
}  // namespace tandem
