#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/training/checkpoint/state.h"

namespace tandem {

/// Which of a job's members one is: workers come first, servers after them.
struct Membership {
  int rank = 0;
  int workers = 1;
  int servers = 0;

  bool is_worker() const { return rank < workers; }
  int members() const { return workers + servers; }
  /// Whose file of a checkpoint by the members `saved` it restores its own bytes from.
  int source(const Membership& saved) const;
};

/// What the manifest of a checkpoint says of a file, to tell whether it is as it was written.
struct FileSeal {
  std::uint64_t bytes = 0;
  std::uint32_t crc32 = 0;
};

/// What is in a file, as its header lists it.
struct StatePart {
  std::string name;
  bool is_own = false;
  std::size_t offset = 0;  ///< in the model's arena; of own bytes 0
  std::size_t element_bytes = 1;
  std::size_t bytes = 0;
  std::size_t position = 0;  ///< in the file
};

using VisitState = std::function<void(StateVisitor&)>;

/// Writes the state of one member: a line that names the format, the length of the header in 8
/// bytes, little end first, the header, JSON that lists the parts, and their bytes. To a temporary
/// name, renamed once it is on the disk; what `visit` shows is read then. Throws InputError or
/// RunError where that fails.
FileSeal write_member_file(const std::filesystem::path& file, const Membership& member,
                           const VisitState& visit);

/// The file of one member, mapped into memory.
class MemberFile {
 public:
  /// Throws RunError that says what is wrong where the file is missing or isn't as `seal` says.
  MemberFile(const std::filesystem::path& file, const FileSeal& seal);
  MemberFile(MemberFile&&) = default;

  const std::vector<StatePart>& parts() const { return parts_; }
  std::span<const std::byte> bytes(const StatePart& part) const {
    return all().subspan(part.position, part.bytes);
  }

 private:
  std::span<const std::byte> all() const { return {data_.get(), size_}; }
  void read_header(const std::string& name);

  std::shared_ptr<const std::byte> data_;
  std::size_t size_ = 0;
  std::vector<StatePart> parts_;
};

/// Restores what `visit` visits from all members' `files`, by rank, that `saved` wrote. Throws
/// RunError where some of it is not there.
void restore_state(const std::vector<MemberFile>& files, const Membership& saved,
                   const Membership& member, const VisitState& visit);

}  // namespace tandem
