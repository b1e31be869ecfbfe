// The file of a member: what was visited comes back, in parts for whoever needs them, and damage is
// seen.

#include "core/training/checkpoint/member_file.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <numeric>

#include "core/base/error.h"
#include "core/comm/buffer.h"

namespace tandem {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kElements = 23;

/// A folder that goes with the test.
class MemberFiles : public testing::Test {
 protected:
  MemberFiles() {
    folder_ = fs::path(testing::TempDir()) /
              testing::UnitTest::GetInstance()->current_test_info()->name();
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  ~MemberFiles() override { fs::remove_all(folder_); }

  fs::path path(int rank) const { return folder_ / std::to_string(rank); }

  fs::path folder_;
};

Buffer counted(float first) {
  Buffer buffer = make_host_buffer(kElements, DType::kFloat32);
  const auto numbers = buffer.view().floats();
  std::iota(numbers.begin(), numbers.end(), first);
  return buffer;
}

/// Chunks of `rank`, two by two elements in turn.
std::vector<Chunk> dealt(int rank, int workers) {
  std::vector<Chunk> chunks;
  for (std::size_t at = 2 * std::size_t(rank); at < kElements; at += 2 * std::size_t(workers))
    chunks.push_back({at, std::min<std::size_t>(2, kElements - at)});
  return chunks;
}

std::size_t total(const std::vector<Chunk>& chunks) {
  std::size_t elements = 0;
  for (const Chunk& chunk : chunks) elements += chunk.elements;
  return elements;
}

/// Saves `weights` as a shard and as what all hold, by as many workers, and opens the files.
std::vector<MemberFile> saved_by(int workers, const Buffer& weights, const fs::path& folder) {
  std::vector<MemberFile> files;
  for (int rank = 0; rank < workers; ++rank) {
    const std::vector<Chunk> own = dealt(rank, workers);
    const Buffer shard = make_host_buffer(total(own), DType::kFloat32);
    auto to = shard.view().floats().begin();
    for (const Chunk& chunk : own)
      to = std::ranges::copy(weights.view().slice(chunk.offset, chunk.elements).floats(), to).out;
    const fs::path file = folder / std::to_string(rank);
    int number = 10 + rank;
    const FileSeal seal =
        write_member_file(file, {.rank = rank, .workers = workers}, [&](StateVisitor& visitor) {
          visitor.arena("shard", shard.view(), {Holder::kShard, own});
          visitor.arena("all", weights.view(), {Holder::kAll, {{0, kElements}}});
          visit_value(visitor, "number", number);
        });
    EXPECT_EQ(seal.bytes, fs::file_size(file));
    files.emplace_back(file, seal);
  }
  return files;
}

TEST_F(MemberFiles, GoToAnyNumberOfWorkers) {
  const Buffer weights = counted(100);
  for (const int from : {1, 2, 3, 5}) {
    const std::vector<MemberFile> files = saved_by(from, weights, folder_);
    for (const int to : {1, 2, 4, 7}) {
      for (int rank = 0; rank < to; ++rank) {
        const std::vector<Chunk> own = dealt(rank, to);
        const Buffer shard = make_host_buffer(total(own), DType::kFloat32);
        const Buffer all = make_host_buffer(kElements, DType::kFloat32);
        int number = 0;
        restore_state(files, {.workers = from}, {.rank = rank, .workers = to},
                      [&](StateVisitor& visitor) {
                        visitor.arena("shard", shard.view(), {Holder::kShard, own});
                        visitor.arena("all", all.view(), {Holder::kAll, {{0, kElements}}});
                        visit_value(visitor, "number", number);
                      });
        EXPECT_TRUE(std::ranges::equal(all.view().floats(), weights.view().floats()));
        std::size_t at = 0;
        for (const Chunk& chunk : own)
          for (std::size_t i = 0; i < chunk.elements; ++i)
            EXPECT_EQ(shard.view().floats()[at++], 100 + static_cast<float>(chunk.offset + i));
        EXPECT_EQ(number, 10 + rank % from);
      }
    }
  }
}

TEST_F(MemberFiles, KeepWhatIsTheMembersOwn) {
  std::vector<double> saved = {1, 2.5, -3};
  const Buffer weights = counted(7);
  const ArenaPlace place{Holder::kOwn, {{0, kElements}}};
  const FileSeal seal = write_member_file(path(0), {}, [&](StateVisitor& visitor) {
    visit_vector(visitor, "numbers", saved);
    visitor.arena("weights", weights.view(), place);
  });
  std::vector<MemberFile> files;
  files.emplace_back(path(0), seal);
  std::vector<double> restored(17);
  const Buffer other = make_host_buffer(kElements, DType::kFloat32);
  restore_state(files, {}, {}, [&](StateVisitor& visitor) {
    visit_vector(visitor, "numbers", restored);
    visitor.arena("weights", other.view(), place);
  });
  EXPECT_EQ(restored, saved);
  EXPECT_TRUE(std::ranges::equal(other.view().floats(), weights.view().floats()));
}

TEST_F(MemberFiles, GiveOtherNumbersOfWorkersTheMean) {
  std::vector<MemberFile> files;
  for (int rank = 0; rank < 3; ++rank) {
    const Buffer weights = counted(static_cast<float>(10 * rank));
    const FileSeal seal = write_member_file(
        path(rank), {.rank = rank, .workers = 3},
        [&](StateVisitor& visitor) { visit_own(visitor, "weights", weights.view()); });
    files.emplace_back(path(rank), seal);
  }
  for (const int workers : {1, 2, 4}) {
    const Buffer mean = make_host_buffer(kElements, DType::kFloat32);
    restore_state(files, {.workers = 3}, {.rank = workers - 1, .workers = workers},
                  [&](StateVisitor& visitor) { visit_own(visitor, "weights", mean.view()); });
    EXPECT_TRUE(std::ranges::equal(mean.view().floats(), counted(10).view().floats())) << workers;
  }
}

TEST_F(MemberFiles, HaveWhatSeveralHoldAlikeOnce) {
  const Buffer weights = counted(3);
  std::vector<MemberFile> files;
  for (int rank = 0; rank < 3; ++rank) {
    const FileSeal seal =
        write_member_file(path(rank), {.rank = rank, .workers = 3}, [&](StateVisitor& visitor) {
          visitor.arena("weights", weights.view(), {Holder::kShard, {{0, kElements}}, rank, 3});
        });
    EXPECT_LT(seal.bytes, 3 * kElements * sizeof(float));
    files.emplace_back(path(rank), seal);
  }
  const Buffer all = make_host_buffer(kElements, DType::kFloat32);
  restore_state(files, {.workers = 3}, {}, [&](StateVisitor& visitor) {
    visitor.arena("weights", all.view(), {Holder::kShard, {{0, kElements}}});
  });
  EXPECT_TRUE(std::ranges::equal(all.view().floats(), weights.view().floats()));
}

TEST_F(MemberFiles, SayWhatTheyLack) {
  const Buffer weights = counted(0);
  const std::vector<MemberFile> files = saved_by(2, weights, folder_);
  const auto restored = [&](const VisitState& visit) {
    try {
      restore_state(files, {.workers = 2}, {.workers = 2}, visit);
    } catch (const RunError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  double number = 0;
  EXPECT_EQ(restored([&](StateVisitor& visitor) { visit_value(visitor, "number", number); }),
            "it has 4 bytes of number, but 8 are needed");
  EXPECT_EQ(restored([&](StateVisitor& visitor) { visit_value(visitor, "other", number); }),
            "it lacks other");
  EXPECT_EQ(restored([&](StateVisitor& visitor) {
              visitor.arena("all", weights.view(), {Holder::kAll, {{4, kElements}}});
            }),
            "it has 19 of 23 numbers of all");
}

TEST_F(MemberFiles, ShowEveryDamagedByte) {
  const Buffer weights = counted(1);
  const FileSeal seal = write_member_file(path(0), {}, [&](StateVisitor& visitor) {
    visitor.arena("all", weights.view(), {Holder::kAll, {{0, kElements}}});
  });
  EXPECT_NO_THROW(MemberFile(path(0), seal));
  for (std::uint64_t at = 0; at < seal.bytes; ++at) {
    std::fstream file(path(0), std::ios::in | std::ios::out | std::ios::binary);
    file.seekg(static_cast<std::streamoff>(at));
    const char byte = static_cast<char>(file.get());
    const auto put = [&](char value) {
      file.seekp(static_cast<std::streamoff>(at));
      file.put(value).flush();
    };
    put(static_cast<char>(byte ^ 0x10));
    EXPECT_THROW(MemberFile(path(0), seal), RunError) << at;
    put(byte);
  }
  EXPECT_NO_THROW(MemberFile(path(0), seal));
  fs::resize_file(path(0), seal.bytes - 1);
  EXPECT_THROW(MemberFile(path(0), seal), RunError);
  fs::remove(path(0));
  EXPECT_THROW(MemberFile(path(0), seal), RunError);
}

}  // namespace
}  // namespace tandem
