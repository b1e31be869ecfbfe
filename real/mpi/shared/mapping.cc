#include "real/mpi/shared/mapping.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace tandem::mpi {

Mapping::Mapping(std::size_t bytes)
    : descriptor_(memfd_create("tandem", MFD_CLOEXEC)), bytes_(bytes) {
  if (descriptor_ < 0 || ftruncate(descriptor_, static_cast<off_t>(bytes)) != 0) return;
  map();
}

Mapping::Mapping(int process, int descriptor)
    : descriptor_(
          open(fmt::format("/proc/{}/fd/{}", process, descriptor).c_str(), O_RDWR | O_CLOEXEC)) {
  struct stat status {};
  if (descriptor_ < 0 || fstat(descriptor_, &status) != 0) return;
  bytes_ = static_cast<std::size_t>(status.st_size);
  map();
}

void Mapping::map() {
  void* data =
      mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, descriptor_, 0);
  if (data == MAP_FAILED) return;
  data_ = static_cast<std::byte*>(data);
  madvise(data_, bytes_, MADV_DONTDUMP);
}

Mapping::~Mapping() {
  if (data_ != nullptr) munmap(data_, bytes_);
  if (descriptor_ >= 0) close(descriptor_);
}

}  // namespace tandem::mpi
