#pragma once

#include "core/data/dataset.h"

namespace tandem {

// MNIST and Fashion-MNIST: four IDX files of MNIST's naming (train-images-idx3-ubyte and so on,
// each gzipped or plain) in a folder.

/// Pixels are scaled to mean 0 and standard deviation 1 over the training split. Throws InputError
/// naming the file at fault.
DataSplits read_image_folder(const DataRequest& request);

/// Reads the headers of the training files.
DatasetInfo describe_image_folder(const DataRequest& request);
/// What the published files hold; files of a data.path are the user's own.
std::optional<DatasetInfo> known_of_image_folder(const DataRequest& request);

}  // namespace tandem
