#pragma once

#include <cstddef>

namespace tandem::mpi {

/// A file of shared memory, mapped into this process for as long as this lives. The file has no
/// name and goes with the last process that has it open or mapped, however that ends.
class Mapping {
 public:
  /// A new file of `bytes` addresses; memory comes, zeroed, where they are first touched.
  explicit Mapping(std::size_t bytes);
  /// The file that another process of this host has made.
  Mapping(int process, int descriptor);
  ~Mapping();
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;

  /// Null where the system refused, as one may that gives no process another's files.
  std::byte* data() const { return data_; }
  std::size_t bytes() const { return bytes_; }
  int descriptor() const { return descriptor_; }

 private:
  void map();

  int descriptor_ = -1;
  std::size_t bytes_ = 0;
  std::byte* data_ = nullptr;
};

}  // namespace tandem::mpi
