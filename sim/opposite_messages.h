#pragma once

#include <vector>

namespace tandem {

/// Whether a message meets others the other way, which its host would copy at a time with it. Knows
/// those that members have posted to each other and that have not ended.
class OppositeMessages {
 public:
  explicit OppositeMessages(int members) : of_(members) {}

  void begin(int source, int destination) {
    ++of_[source].sent;
    ++of_[destination].received;
  }
  /// Its source has copied all of it.
  void written(int source) { --of_[source].sent; }
  void end(int source, int destination, bool is_written) {
    if (!is_written) written(source);
    --of_[destination].received;
  }

  /// Whether `destination` sends none, and `source` receives none.
  bool has_none(int source, int destination) const {
    return of_[destination].sent == 0 && of_[source].received == 0;
  }

 private:
  struct Count {
    int sent = 0, received = 0;
  };

  std::vector<Count> of_;  ///< by member
};

}  // namespace tandem
