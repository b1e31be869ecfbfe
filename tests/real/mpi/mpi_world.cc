#include "tests/real/mpi/mpi_world.h"

#include "real/mpi/worker.h"
#include "tests/conformance/world.h"

namespace tandem {
namespace {

/// The job that this process is a rank of: it can't be of another size.
class MpiWorld final : public World {
 public:
  explicit MpiWorld(mpi::MakeDeviceCollectives devices) : devices_(std::move(devices)) {}
  bool supports(int ranks) const override { return ranks == mpi::session().size(); }
  bool has_first() const override { return mpi::session().rank() == 0; }
  void run(int, const std::function<void(Worker&)>& member, const std::vector<int>&) override {
    mpi::MpiWorker worker(MPI_COMM_WORLD);
    worker.set_devices(devices_);
    member(worker);
    worker.end();
  }

 private:
  mpi::MakeDeviceCollectives devices_;
};

}  // namespace

std::unique_ptr<World> mpi::make_mpi_world(MakeDeviceCollectives devices) {
  return std::make_unique<MpiWorld>(std::move(devices));
}

}  // namespace tandem
