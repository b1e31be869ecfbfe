#pragma once

#include <string>
#include <vector>

#include "core/data/dataset.h"

namespace tandem {

// Objects of the Sloan Digital Sky Survey, a galaxy, quasar or star each, in the CSV files that
// Kaggle spreads: DR14 (10,000 rows of SkyServer's columns) and DR17 (100,000, in which position is
// called alpha and delta). A data.path may be the file itself.

/// The figures of an object that data.features can name, in the order in which they are taken where
/// it names none.
const std::vector<std::string>& sdss_features();

/// A sample is {features, 1, 1}. A fifth of each class, drawn by the seed, is the test split; each
/// feature is scaled to mean 0 and standard deviation 1 over the training split. A row with -9999,
/// SDSS's mark of no measurement, among the features is left out. Throws InputError with file and
/// line.
DataSplits read_sdss(const DataRequest& request, std::uint64_t seed);

/// Reads the file for the number of its rows.
DatasetInfo describe_sdss(const DataRequest& request);
/// All but the number of samples.
DatasetInfo known_of_sdss(const DataRequest& request);

}  // namespace tandem
