#pragma once

#include <cstdint>

#include "core/data/dataset.h"

namespace tandem {

/// Data that can be learned without any file: every class has a pattern of its own, drawn from the
/// seed and constant over 4x4 pixels so that pooling keeps it, and every sample adds noise of
/// standard deviation 1. Classes are equally frequent.
DataSplits make_synthetic(Shape shape, int classes, std::uint64_t seed);

/// Training samples it makes: a power of two from 512 to 8,192, as many as fit into 128 MiB.
std::size_t synthetic_train_size(Shape shape);

}  // namespace tandem
