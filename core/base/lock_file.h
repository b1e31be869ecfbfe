#pragma once

#include <filesystem>
#include <utility>

#include "core/base/seconds.h"

namespace tandem {

/// Whom a lock keeps away.
enum class Sharing {
  kAlone,
  kWithOthers,  ///< who say the same
};

/// A file or folder that is locked [flock(2)] for as long as the object lives: the lock goes with
/// the process, however that ends.
class LockFile {
 public:
  LockFile() = default;
  /// Tries to lock `file`, which is made where it is missing, as is its folder: once, and again for
  /// as long as `patience` while somebody else keeps it. Where it can't be locked at all there is
  /// nothing to wait for.
  LockFile(const std::filesystem::path& file, Sharing sharing, Seconds patience = 0);
  /// The same of a folder, which leaves no file.
  static LockFile of_folder(const std::filesystem::path& folder, Sharing sharing,
                            Seconds patience = 0);

  LockFile(LockFile&& other) noexcept { *this = std::move(other); }
  LockFile& operator=(LockFile&& other) noexcept {
    std::swap(path_, other.path_);
    std::swap(file_, other.file_);
    std::swap(error_, other.error_);
    return *this;
  }
  ~LockFile();

  /// Whether it is locked, and the path still names it.
  bool holds() const { return file_ >= 0 && error_ == 0; }
  /// Whether somebody else keeps it.
  bool is_taken() const;
  /// Why it can't be locked at all, as errno says it; 0 where it can.
  int error() const { return is_taken() ? 0 : error_; }
  /// Of the open file; -1 where there is none.
  int descriptor() const { return file_; }

  /// Removes the file that it holds; nothing where it holds none.
  void remove() const;

 private:
  void lock(const std::filesystem::path& path, Sharing sharing, bool is_folder, Seconds patience);
  void try_to_lock(Sharing sharing, bool is_folder);
  void close();

  std::filesystem::path path_;
  int file_ = -1;
  int error_ = 0;
};

}  // namespace tandem
