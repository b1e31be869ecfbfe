#include "real/mpi/descriptor.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "core/base/error.h"

namespace tandem::mpi {

Descriptor::Descriptor(int number, const char* call) : number_(number) {
  if (number < 0) throw RunError(std::string(call) + ": " + std::strerror(errno));
}

Descriptor::~Descriptor() {
  close(number_);
}

}  // namespace tandem::mpi
