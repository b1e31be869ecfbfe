#pragma once

namespace tandem::mpi {

/// A descriptor of this process, closed with it.
class Descriptor {
 public:
  /// Throws RunError, naming the call that made it and why, where it is none.
  Descriptor(int number, const char* call);
  ~Descriptor();
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return number_; }

 private:
  int number_;
};

}  // namespace tandem::mpi
