#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "core/record/point_result.h"

namespace tandem {

/// The parts of a job that run collectives of their own, each with its number, from 1; 0 is all.
using CollectiveGroups = std::map<std::vector<int>, int>;

CollectiveGroups collective_groups(const std::vector<MemberResult>& members);

/// The program of `member`, one of `members`, as an MLCommons Chakra execution trace (Sridharan et
/// al., "Chakra: Advancing Performance Benchmarking and Co-design using Standardized Execution
/// Traces", 2023): a GlobalMetadata and a Node a step, each behind its length as a varint.
///
/// Durations are whole microseconds, rounded so that their sums are right to one; node ids are the
/// indices of steps. Of a collective, comm_size is what one rank puts in, as ASTRA-sim takes it; a
/// collective of one is a kernel of nothing.
std::string chakra_trace(const MemberResult& member, int members, const CollectiveGroups& groups);

/// Writes NAME.RANK.et for each member whose program was kept, and NAME.groups.json where some
/// collectives are of parts of the job. Throws as write_file_atomically().
void write_chakra_traces(const std::filesystem::path& folder, const std::string& name,
                         const std::vector<MemberResult>& members);

}  // namespace tandem
