#include "core/record/alike_members.h"

#include <gtest/gtest.h>

namespace tandem {
namespace {

constexpr int kMembers = static_cast<int>(kListedMembers) + 100;

/// Every third one is slower; the first two are traced; the last is a server.
std::vector<MemberResult> members(int count) {
  std::vector<MemberResult> members(count);
  for (int rank = 0; rank < count; ++rank) {
    MemberResult& member = members[rank];
    member.rank = rank;
    IterationRecord record;
    record.end = rank % 3 == 2 ? 2 : 1;
    record.traffic.sent_bytes = 10 + rank;
    member.iterations = {record};
    member.traffic = record.traffic;
    member.peak_memory_bytes = rank;
    if (rank < 2) member.spans = {{Lane::kCompute, "conv1", 0, 1}};
  }
  members.back().is_server = true;
  return members;
}

TEST(AlikeMembers, AreOneWithTheSumOfTheirTraffic) {
  std::vector<MemberResult> merged = members(kMembers);
  merge_alike(merged);
  ASSERT_EQ(merged.size(), 5U);  // two traced ones, a slow one, a fast one, the server
  int count = 0;
  std::uint64_t sent = 0, sent_in_iteration = 0, peak = 0, expected = 0;
  for (const MemberResult& member : merged) {
    count += member.count;
    sent += member.traffic.sent_bytes;
    sent_in_iteration += member.iterations[0].traffic.sent_bytes;
    peak = std::max(peak, member.peak_memory_bytes);
  }
  for (const MemberResult& member : members(kMembers)) expected += member.traffic.sent_bytes;
  EXPECT_EQ(count, kMembers);
  EXPECT_EQ(sent, expected);
  EXPECT_EQ(sent_in_iteration, expected);
  EXPECT_EQ(peak, static_cast<std::uint64_t>(kMembers - 1));
  EXPECT_EQ(merged[1].rank, 1);
  EXPECT_EQ(merged[1].count, 1);
  EXPECT_EQ(merged[2].iterations[0].end, 2);
  EXPECT_TRUE(merged[4].is_server);
}

TEST(AlikeMembers, AreKeptOneByOneWithTheirPrograms) {
  std::vector<MemberResult> kept = members(kMembers);
  for (MemberResult& member : kept) member.program = {Step{}};
  merge_alike(kept);
  EXPECT_EQ(kept.size(), static_cast<std::size_t>(kMembers));
}

TEST(AlikeMembers, AreKeptOneByOneWhereTheyAreFew) {
  std::vector<MemberResult> kept = members(static_cast<int>(kListedMembers));
  merge_alike(kept);
  EXPECT_EQ(kept.size(), kListedMembers);
}

}  // namespace
}  // namespace tandem
