#pragma once

#include <vector>

namespace tandem {

/// Whether a message meets others the other way, which its host would copy at a time with it. Knows
/// those that members have posted to each other: at their source until they are written, at their
/// destination until they have arrived, or never will.
class OppositeMessages {
 public:
  explicit OppositeMessages(int members) : of_(members) {}

  void begin(int source, int destination) {
    ++of_[source].sent;
    ++of_[destination].received;
  }
  void written(int source) { --of_[source].sent; }
  void arrived(int destination) { --of_[destination].received; }

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
