// One rank of tests/bench/allreduce and tests/bench/overhead: times ways to all-reduce in turns, so
// that all see the machine alike, and prints a line of JSON for each and each size on rank 0.

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/base/arguments.h"
#include "core/base/error.h"
#include "core/base/median.h"
#include "core/collectives/all_reduce.h"
#include "real/mpi/check.h"
#include "real/mpi/session.h"
#include "real/mpi/worker.h"
#include "tests/bench/all_reduce/contender.h"

namespace tandem::bench {
namespace {

using mpi::check;

struct Arguments {
  std::vector<std::size_t> bytes;
  std::vector<std::string> algorithms = {"ring"};
  std::string gloo_host, gloo_folder;
  std::vector<std::string> contenders;  ///< beginnings of names; all where empty
  std::string way = "both";             ///< of tandem's: "memory", "messages"
  double hopeless = 3;
  int repeats = 9;
  double at_least_s = 2e-3;
  double cell_s = 20;
};

/// As a strategy does it: puts the schedule in flight and waits.
Contender tandem_all_reduce(const std::string& name, const std::string& algorithm,
                            mpi::MpiWorker& worker) {
  return {name, [&worker, factory = all_reduce(algorithm)](const View& view) {
            const auto [rank, size, epoch] = worker.group();
            Handle sum = worker.start(factory(size, rank, view.elements), view);
            worker.wait(sum);
          }};
}

/// This host's first address that others can reach.
std::string own_address() {
  ifaddrs* first = nullptr;
  if (getifaddrs(&first) != 0) throw RunError("this host does not tell its addresses");
  const std::unique_ptr<ifaddrs, decltype(&freeifaddrs)> all(first, freeifaddrs);
  for (const ifaddrs* each = first; each != nullptr; each = each->ifa_next) {
    const bool is_ip = each->ifa_addr != nullptr && each->ifa_addr->sa_family == AF_INET;
    if (!is_ip || (each->ifa_flags & IFF_LOOPBACK) != 0) continue;
    char text[INET_ADDRSTRLEN] = "";
    inet_ntop(AF_INET, &reinterpret_cast<const sockaddr_in*>(each->ifa_addr)->sin_addr, text,
              sizeof text);
    return text;
  }
  throw RunError("this host has no address but its own");
}

template <typename T>
T from_rank_0(T value) {
  check(MPI_Bcast(&value, sizeof value, MPI_BYTE, 0, MPI_COMM_WORLD), "MPI_Bcast");
  return value;
}

/// One more look at a contender: seconds a call on the slowest rank, after one that fills caches.
Seconds time(const Contender& contender, const View& view, int calls) {
  contender.all_reduce(view);
  check(MPI_Barrier(MPI_COMM_WORLD), "MPI_Barrier");
  const double begin = MPI_Wtime();
  for (int call = 0; call < calls; ++call) contender.all_reduce(view);
  const double own = (MPI_Wtime() - begin) / calls;
  double slowest = 0;
  check(MPI_Allreduce(&own, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD), "MPI_Allreduce");
  return slowest;
}

/// Where all numbers are 1, a sum is the number of ranks everywhere.
void require_sum(const Contender& contender, const View& view, int ranks) {
  std::ranges::fill(view.floats(), 1.0F);
  check(MPI_Barrier(MPI_COMM_WORLD), "MPI_Barrier");
  contender.all_reduce(view);
  const auto is_sum = [&](float number) { return number == static_cast<float>(ranks); };
  if (!std::ranges::all_of(view.floats(), is_sum))
    throw RunError(contender.name + " did not add up");
  std::ranges::fill(view.floats(), 0.0F);  // stays, however often it is added up
}

/// A contender with the memory that it works on.
struct Entry {
  Contender contender;
  View view;
  std::vector<Seconds> times = {};
  int calls = 1;
  bool dropped = false;
};

/// All in turns; who is so many times slower than the fastest after two looks as is hopeless is not
/// looked at again.
void measure(std::vector<Entry>& entries, const Arguments& arguments, int ranks) {
  for (Entry& entry : entries) {
    require_sum(entry.contender, entry.view, ranks);
    Seconds once = time(entry.contender, entry.view, 1);
    once = std::min(once, time(entry.contender, entry.view, 1));
    entry.calls = from_rank_0(std::clamp(static_cast<int>(arguments.at_least_s / once), 1, 10'000));
  }
  const double begin = MPI_Wtime();
  for (int repeat = 0; repeat < arguments.repeats; ++repeat) {
    if (from_rank_0(repeat >= 3 && MPI_Wtime() - begin > arguments.cell_s)) return;
    Seconds fastest = kForever;
    for (Entry& entry : entries) {
      if (entry.dropped) continue;
      entry.times.push_back(time(entry.contender, entry.view, entry.calls));
      fastest = std::min(fastest, median(entry.times));
    }
    if (repeat != 1) continue;
    for (Entry& entry : entries) entry.dropped = median(entry.times) > arguments.hopeless * fastest;
  }
}

bool is_wanted(const Arguments& arguments, const std::string& name) {
  return arguments.contenders.empty() ||
         std::ranges::any_of(arguments.contenders,
                             [&](const std::string& begin) { return name.starts_with(begin); });
}

void work(const Arguments& arguments, const mpi::Session& session) {
  std::vector<Contender> peers = mpi_contenders();
  peers.push_back(hand_written_ring());
  if (!arguments.gloo_folder.empty())
    std::ranges::move(
        gloo_contenders(arguments.gloo_host.empty() ? own_address() : arguments.gloo_host,
                        arguments.gloo_folder),
        std::back_inserter(peers));
  mpi::MpiWorker worker(MPI_COMM_WORLD);
  mpi::MpiWorker far(MPI_COMM_WORLD, {}, {}, mpi::Way::kMessages);  // as if on another host
  for (const std::size_t bytes : arguments.bytes) {
    const std::size_t elements = bytes / sizeof(float);
    const Buffer buffer = worker.allocate(elements, DType::kFloat32);
    std::vector<Entry> entries;
    for (const std::string& algorithm : arguments.algorithms) {
      if (arguments.way != "messages")
        entries.push_back(
            {tandem_all_reduce("tandem " + algorithm, algorithm, worker), buffer.view()});
      if (arguments.way == "memory") continue;
      entries.push_back(
          {tandem_all_reduce("tandem " + algorithm + ", messages", algorithm, far), buffer.view()});
    }
    for (const Contender& peer : peers) entries.push_back({peer, buffer.view()});
    std::erase_if(entries,
                  [&](const Entry& entry) { return !is_wanted(arguments, entry.contender.name); });
    measure(entries, arguments, session.size());
    for (const Entry& entry : entries) {
      if (session.rank() > 0) continue;
      const nlohmann::json line = {{"bytes", bytes},
                                   {"ranks", session.size()},
                                   {"contender", entry.contender.name},
                                   {"seconds", median(entry.times)},
                                   {"looks", entry.times.size()},
                                   {"dropped", entry.dropped}};
      std::printf("%s\n", line.dump().c_str());
      std::fflush(stdout);
    }
  }
  far.end();
  worker.end();
}

int run(const Arguments& arguments, int argc, char** argv) {
  const mpi::Session session(argc, argv);
  try {
    work(arguments, session);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "rank %d: %s\n", session.rank(), error.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  return 0;
}

}  // namespace
}  // namespace tandem::bench

int main(int argc, char** argv) {
  CLI::App app("One rank of ./dev bench allreduce", "all_reduce_ranks");
  tandem::bench::Arguments arguments;
  app.add_option("--bytes", arguments.bytes, "sizes of the buffer")->required();
  app.add_option("--algorithms", arguments.algorithms, "tandem's, to be timed");
  app.add_option("--contenders", arguments.contenders, "beginnings of names of those to be timed");
  app.add_option("--way", arguments.way, "tandem's by 'memory' of the host, by 'messages', or both")
      ->check(CLI::IsMember({"memory", "messages", "both"}));
  app.add_option("--hopeless", arguments.hopeless,
                 "times slower than the fastest: looked at twice");
  app.add_option("--gloo-host", arguments.gloo_host,
                 "this rank's address for Gloo; its first where none is given");
  app.add_option("--gloo-folder", arguments.gloo_folder, "where Gloo's ranks meet; without, none");
  app.add_option("--repeats", arguments.repeats, "looks at each");
  app.add_option("--at-least", arguments.at_least_s, "seconds of a look, by repeating");
  app.add_option("--cell-s", arguments.cell_s, "seconds of a size, after three looks");
  return tandem::run_main(app, argc, argv,
                          [&] { return tandem::bench::run(arguments, argc, argv); });
}
