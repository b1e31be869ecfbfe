#pragma once

#include <filesystem>

#include "core/data/dataset.h"

namespace tandem {

/// The folder with the four IDX files of MNIST's naming (train-images-idx3-ubyte and so on, each
/// gzipped or plain) that `location` means: its path, else $TANDEM_DATA, else where the
/// distribution installs it. Throws InputError where there is none, or no training images in it,
/// saying where it looked and what to install or set.
std::filesystem::path find_image_folder(const DataLocation& location);

/// Reads the four files; pixels are scaled to mean 0 and standard deviation 1 over the training
/// split. Throws InputError naming the file at fault.
DataSplits read_image_folder(const DataLocation& location);

/// Reads the headers of the training files.
DatasetInfo describe_image_folder(const DataLocation& location);

}  // namespace tandem
