#pragma once

#include <cstdint>

#include "core/data/dataset.h"

namespace tandem {

/// Data that can be learned without any file: every class has a pattern of its own, drawn from the
/// seed and constant over 4x4 pixels so that pooling keeps it, and every sample adds noise of
/// standard deviation 1. Classes are equally frequent.
///
/// Where the form has a vocabulary: sequences in which three tokens of four are followed by the
/// successor that the seed gives each token, and the fourth by any. Labels are the tokens after
/// those of the sample.
DataSplits make_synthetic(const SampleForm& form, std::uint64_t seed);

/// Training samples are a power of two from 512 to 8,192, as many as fit into 128 MiB.
DatasetInfo describe_synthetic(const SampleForm& form);

}  // namespace tandem
