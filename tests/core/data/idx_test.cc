#include "core/data/idx.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "core/base/error.h"
#include "tests/core/data/files.h"

namespace tandem {
namespace {

class Idx : public testing::Test {
 protected:
  std::string message_of(const std::filesystem::path& file, int rank) {
    try {
      read_idx(file, rank);
    } catch (const InputError& error) {
      return error.what();
    }
    return "no error";
  }

  TemporaryFolder folder_;
  const std::string images_ = idx_bytes({2, 2, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 255});
};

TEST_F(Idx, ReadsGzippedAndPlainFiles) {
  for (const auto& file : {folder_.write("a", images_), folder_.write_gzipped("a.gz", images_)}) {
    const IdxArray array = read_idx(file, 3);
    EXPECT_THAT(array.dimensions, testing::ElementsAre(2, 2, 3));
    EXPECT_EQ(array.values.size(), 12u);
    EXPECT_EQ(array.values[11], 255);
    EXPECT_EQ(read_idx_header(file, 3).dimensions, array.dimensions);
  }
}

TEST_F(Idx, RefusesTruncatedFiles) {
  for (std::size_t length : {0UL, 3UL, 10UL, 20UL, images_.size() - 1}) {
    const auto file = folder_.write("cut", images_.substr(0, length));
    EXPECT_THAT(message_of(file, 3),
                testing::AllOf(testing::HasSubstr(file.string()), testing::HasSubstr("truncated")))
        << length;
  }
}

TEST_F(Idx, RefusesWhatMayNeverEndOrBegin) {
  EXPECT_EQ(message_of("/dev/zero", 3),
            "/dev/zero: this is a device, a pipe or a socket; give a file");
  const std::filesystem::path fifo = folder_.path() / "fifo";
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  EXPECT_EQ(message_of(fifo, 3),
            fifo.string() + ": this is a device, a pipe or a socket; give a file");
}

TEST_F(Idx, RefusesTruncatedGzip) {
  std::string noise;
  RandomStream random(1);
  for (int i = 0; i < 6000; ++i) noise.push_back(static_cast<char>(random.next()));
  const std::string whole = gzipped(idx_bytes({10, 20, 30}, {noise.begin(), noise.end()}));
  for (std::size_t length : {whole.size() / 2, whole.size() - 12, whole.size() - 3}) {
    const auto file = folder_.write("cut.gz", whole.substr(0, length));
    EXPECT_THAT(message_of(file, 3), testing::HasSubstr("truncated")) << length;
  }
}

TEST_F(Idx, RefusesDamagedGzip) {
  std::string bytes = gzipped(images_);
  bytes[bytes.size() - 8] ^= 1;  // within the check sum
  EXPECT_THAT(message_of(folder_.write("bad.gz", bytes), 3), testing::HasSubstr("is damaged"));
}

TEST_F(Idx, RefusesOtherKindsOfFile) {
  EXPECT_THAT(message_of(folder_.write("a", images_), 1),
              testing::HasSubstr("is no IDX file of labels: it begins with 0x00000803, not "
                                 "0x00000801"));
  EXPECT_THAT(message_of(folder_.write("text", "label,pixel\n"), 3),
              testing::HasSubstr("is no IDX file of images"));
  EXPECT_THAT(message_of(folder_.path(), 3), testing::HasSubstr("is a folder"));
  EXPECT_THAT(message_of(folder_.path() / "none", 3), testing::HasSubstr("No such file"));
}

TEST_F(Idx, RefusesSidesThatAreNoInt) {
  EXPECT_THAT(message_of(folder_.write("wide", idx_bytes({1, 1, 0x80000000U}, {1, 2})), 3),
              testing::HasSubstr("damaged header: it tells of a dimension of 2147483648"));
}

TEST_F(Idx, RefusesHeadersThatDoNotFit) {
  EXPECT_THAT(message_of(folder_.write("more", images_ + "x"), 3),
              testing::HasSubstr("more values than its header says"));
  EXPECT_THAT(message_of(folder_.write("none", idx_bytes({0, 2, 2}, {})), 3),
              testing::HasSubstr("holds nothing"));
  EXPECT_THAT(message_of(folder_.write("huge", idx_bytes({1U << 31, 1U << 31, 1U << 31}, {})), 3),
              testing::HasSubstr("damaged header"));
}

}  // namespace
}  // namespace tandem
