#include "core/record/traffic_table.h"

#include <gtest/gtest.h>

namespace tandem {
namespace {

IterationRecord iteration(Seconds begin, Seconds end, std::uint64_t sent) {
  IterationRecord record;
  record.begin = begin;
  record.end = end;
  record.traffic.sent_bytes = sent;
  return record;
}

MemberResult member(int rank, std::vector<IterationRecord> iterations) {
  MemberResult result;
  result.rank = rank;
  result.iterations = std::move(iterations);
  return result;
}

// The server made its updates at the end, when the workers pushed, but answered them all the time.
TEST(TrafficTable, HasServersBytesInTheTimesOfTheWorkersIterations) {
  PointResult point;
  point.summary.world = "real";
  point.scenario.workers = 2;
  point.members.push_back(member(0, {iteration(0, 2, 1), iteration(2, 4, 2)}));
  point.members.push_back(member(1, {iteration(0, 4, 3), iteration(4, 8, 4)}));
  point.members.push_back(member(2, {iteration(0, 8, 5), iteration(8, 8, 6)}));
  EXPECT_EQ(traffic_csv({point}),
            "point,rank,members,iteration,iterations,begin_s,end_s,sent_bytes,received_bytes,"
            "sent_packets,received_packets\n"
            "0,0,1,0,1,0,2,1,0,,\n"
            "0,0,1,1,1,2,4,2,0,,\n"
            "0,1,1,0,1,0,4,3,0,,\n"
            "0,1,1,1,1,4,8,4,0,,\n"
            "0,2,1,0,1,0,3,5,0,,\n"
            "0,2,1,1,1,3,6,6,0,,\n");
}

// As after a resume on another number of members, which have other first iterations.
TEST(TrafficTable, CountsIterationsFromTheFirstOfTheJob) {
  PointResult point;
  point.summary.world = "real";
  point.scenario.workers = 1;
  point.members.push_back(member(0, {iteration(0, 2, 1), iteration(2, 4, 2)}));
  point.members.push_back(member(1, {iteration(5, 6, 3)}));
  point.members[0].first_iteration = 7;
  point.members[1].first_iteration = 8;
  EXPECT_NE(traffic_csv({point}).find("0,1,1,8,1,2,4,3,0,,\n"), std::string::npos);
}

}  // namespace
}  // namespace tandem
