#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/record/point_check.h"
#include "core/record/point_result.h"

namespace tandem {

/// The points that an unfinished sweep has finished, one file each in the folder points/ of its
/// result folder. A file's name is the hash of all that its result follows from: the resolved
/// scenario but where it is saved and from where it goes on, PointCheck::inputs, and tandem's
/// version. So a point is found again by the sweep that is gone on with, also by other processes at
/// the same time, and never by one that differs.
class KeptPoints {
 public:
  explicit KeptPoints(const std::filesystem::path& out);
  /// Of a part of a result, which knows whether that is an older one.
  KeptPoints(const std::filesystem::path& out, bool has_older_result);

  const std::filesystem::path& folder() const { return folder_; }
  /// Whether the result folder's tables are of a finished result of before, not of these points.
  bool has_older_result() const { return has_older_result_; }
  /// Throws InputError where points were kept, but none of these: they are of another sweep, of
  /// another platform or by another build, and the tables of this one would end it.
  void require_none_but(const std::vector<Scenario>& points,
                        const std::vector<PointCheck>& checks) const;
  /// A point's result, where it was kept.
  std::optional<PointResult> find(const Scenario& point, const PointCheck& check) const;
  /// Moves `result`, a file that PointResult::save() wrote, to the others. Both have to be in one
  /// file system.
  void keep(const Scenario& point, const PointCheck& check,
            const std::filesystem::path& result) const;
  /// Says, to those who go on, that the result folder's tables are of these points. Call it once
  /// they are: tables that may be an older result's are not written over.
  void own_tables() const;
  /// That one.
  void remove(const Scenario& point, const PointCheck& check) const;
  /// All of them, once the result folder has its tables.
  void remove() const;

 private:
  std::filesystem::path file_of(const Scenario& point, const PointCheck& check) const;

  std::filesystem::path folder_;
  bool has_older_result_;
};

}  // namespace tandem
