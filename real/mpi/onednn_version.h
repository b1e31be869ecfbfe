#pragma once

#include <string>

namespace tandem::mpi {

/// Of the oneDNN library in use, such as "2.6.0".
std::string onednn_version();

}  // namespace tandem::mpi
