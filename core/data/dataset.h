#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/data/no_label.h"
#include "core/model/layer.h"

namespace tandem {

/// Samples in memory: images, vectors of features or sequences of tokens, as floats.
struct Dataset {
  Shape shape;  ///< of one sample
  int classes = 0;
  std::vector<float> images;         ///< {size, channels, height, width}, normalised
  std::vector<std::int32_t> labels;  ///< {size, labels_each}
  int labels_each = 1;               ///< of one sample; of a sequence one a position

  std::size_t size() const { return labels.size() / labels_each; }
  std::span<const std::int32_t> labels_of(std::size_t sample) const {
    return std::span(labels).subspan(sample * labels_each, labels_each);
  }
};

/// Training and test samples of one data set.
struct DataSplits {
  Dataset train;
  Dataset test;
};

/// What is known of a data set without reading its samples.
struct DatasetInfo {
  Shape shape;
  int classes = 0;
  std::size_t train_size = 0;
  int labels_each = 1;
  bool has_tokens = false;  ///< samples are sequences of tokens
};

/// What a model takes: synthetic samples are made so, text is cut so.
struct SampleForm {
  Shape shape;
  int classes = 0;
  int vocabulary = 0;  ///< 0 where samples are no tokens
};

/// Which data set, and where its files are.
struct DataRequest {
  std::string name;  ///< one of dataset_names()
  /// data.path; else $TANDEM_DATA/NAME or its like; else where the distribution installs it.
  std::optional<std::string> path;
  std::vector<std::string> features = {};  ///< data.features; empty: all that there are
};

/// Reads a data set. "synthetic" makes one of the given form from the seed; where files hold no
/// test split of their own, the seed draws it. Throws InputError naming the file that is missing,
/// truncated or malformed, and what would be right.
DataSplits load_dataset(const DataRequest& request, const SampleForm& form, std::uint64_t seed);

/// Where a data set's files are not there at all.
class DataMissing : public InputError {
 public:
  using InputError::InputError;
};

/// Reads no more than it has to; the same errors for missing files.
DatasetInfo describe_dataset(const DataRequest& request, const SampleForm& form);

/// What is known of a data set's samples, but for their number, without its files, which may be
/// elsewhere; none where they are the user's own. Of a text, whose tokens are its own, classes is
/// 0.
std::optional<DatasetInfo> known_of_dataset(const DataRequest& request, const SampleForm& form);

std::vector<std::string> dataset_names();

/// Whether it is read from files; else it is made.
bool dataset_has_files(const std::string& name);

/// Whether files hold images, which can be resized.
bool dataset_has_images(const std::string& name);

/// The names that data.features can give of a data set; none where its samples are images.
std::vector<std::string> dataset_features(const std::string& name);

/// Which samples a worker takes, iteration by iteration: each epoch is a seeded permutation of the
/// data set, cut into consecutive batches that are dealt to workers in turn, so no two workers ever
/// see the same sample in one epoch. Samples that don't fill a batch on every worker are left out
/// of that epoch.
class Shard {
 public:
  /// Throws InputError where workers * batch_size is larger than the data set.
  Shard(std::size_t dataset_size, int batch_size, int workers, int worker, std::uint64_t seed);

  std::size_t iterations_per_epoch() const { return iterations_per_epoch_; }
  /// The sample indices of this worker's batch in `iteration`, counted from 0 over all epochs.
  /// Valid until the next call.
  std::span<const std::uint32_t> batch(std::size_t iteration);

 private:
  void shuffle(std::size_t epoch);

  std::size_t dataset_size_;
  int batch_size_, workers_, worker_;
  std::uint64_t seed_;
  std::size_t iterations_per_epoch_;
  std::size_t epoch_ = 0;
  std::vector<std::uint32_t> order_;
};

/// Where `to_workers` go on after `from_workers` that were each to take batch `batch` next, counted
/// over all epochs: the first batch that holds no sample that was taken in this epoch.
std::uint64_t batch_on_other_workers(std::uint64_t batch, std::size_t dataset_size, int batch_size,
                                     int from_workers, int to_workers);

}  // namespace tandem
