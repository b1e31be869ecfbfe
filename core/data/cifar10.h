#pragma once

#include "core/data/dataset.h"

namespace tandem {

// CIFAR-10 (Krizhevsky, "Learning Multiple Layers of Features from Tiny Images", 2009) in its
// binary version: data_batch_1.bin to data_batch_5.bin and test_batch.bin, each gzipped or plain,
// of rows of a label and 3x32x32 pixels. Files may hold any number of rows.

/// Each channel is scaled to mean 0 and standard deviation 1 over the training split. Throws
/// InputError naming the file that is missing, truncated or malformed.
DataSplits read_cifar10(const DataRequest& request);

/// Reads the training files for the number of their rows.
DatasetInfo describe_cifar10(const DataRequest& request);
/// What every such file holds.
std::optional<DatasetInfo> known_of_cifar10(const DataRequest& request);

}  // namespace tandem
