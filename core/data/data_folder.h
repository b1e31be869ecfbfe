#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/data/dataset.h"

namespace tandem {

/// Where the files of a data set may be.
struct Whereabouts {
  std::string first;  ///< the file by which its folder is known
  /// Names its folder may have within $TANDEM_DATA beside the data set's own; "" is $TANDEM_DATA
  /// itself.
  std::vector<std::string> folders;
  std::string package;              ///< of Debian, that installs it; empty where none does
  std::filesystem::path installed;  ///< its folder then
};

/// The folder that holds a data set's files, each of which may be gzipped.
class DataFolder {
 public:
  /// Looks in data.path, else in $TANDEM_DATA, else where the package puts it. Throws DataMissing
  /// where there is no folder or `whereabouts.first` isn't in it, saying where it looked and what
  /// to install or set.
  DataFolder(const DataRequest& request, const Whereabouts& whereabouts);

  const std::filesystem::path& path() const { return path_; }
  /// NAME.gz or NAME. Throws DataMissing where neither is there.
  std::filesystem::path file(const std::string& name) const;

 private:
  std::string data_;
  std::string advice_;
  std::filesystem::path path_;
};

}  // namespace tandem
