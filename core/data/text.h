#pragma once

#include "core/data/dataset.h"

namespace tandem {

// Text as a model of characters learns it: any file; a data.path may be the file itself. A folder
// holds tinyshakespeare.txt (Karpathy, "The Unreasonable Effectiveness of Recurrent Neural
// Networks", 2015). The first nine tenths of its bytes are to train on, the rest is to test.

/// A token is the number of a byte among those that the training part has, in ascending order;
/// bytes of the test part that are not among them are left out. A sample is `sequence` tokens, {1,
/// sequence, 1}, and its labels are the token that follows each; the next sample begins with the
/// last label. What is left over at the end makes no sample. Throws InputError naming the file
/// where it is missing, or a part of it too short for one sample.
DataSplits read_text(const DataRequest& request, int sequence);

/// Reads the file.
DatasetInfo describe_text(const DataRequest& request, int sequence);
/// All but the number of different tokens, and of samples.
DatasetInfo known_of_text(int sequence);

}  // namespace tandem
