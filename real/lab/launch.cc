#include "real/lab/launch.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <numeric>
#include <utility>

#include "core/base/error.h"
#include "core/base/interrupt.h"
#include "core/base/paths.h"
#include "core/base/processors.h"
#include "core/command/lab.h"
#include "core/command/process.h"
#include "core/record/journal.h"
#include "core/scenario/scenario.h"
#include "real/lab/disturbances.h"
#include "real/lab/labs.h"
#include "real/lab/namespaces.h"
#include "real/lab/wiring.h"

namespace tandem::lab {
namespace {

// Less than that of whoever started this process, which would else be killed with the network as it
// is now.
constexpr std::chrono::seconds kPatience{2};

std::string node_list(const Lab& lab, int ranks, std::vector<int> places) {
  if (places.empty()) {
    places.resize(ranks);
    std::iota(places.begin(), places.end(), 0);
  }
  const int needed = places.empty() ? 0 : std::ranges::max(places) + 1;
  if (static_cast<int>(places.size()) != ranks || needed > lab.hosts())
    throw InputError(fmt::format(
        "lab {} has {} host{}, but the run takes {}; make a larger lab, or take fewer workers",
        lab.name, lab.hosts(), lab.hosts() == 1 ? "" : "s", std::max(needed, ranks)));
  std::vector<std::string> nodes;
  nodes.reserve(places.size());
  for (const int place : places) nodes.push_back(node_name(lab.name, place));
  return fmt::format("{}", fmt::join(nodes, ","));
}

// A processor of a virtual machine that halts, as it does whenever all ranks on it wait, may come
// back a millisecond late. For as long as this process holds the file, none sleeps deeper than
// waking at once allows (the kernel's PM quality of service interface); where there is no such
// file, or no right to it, they sleep.
void keep_processors_awake() {
  const int file = open("/dev/cpu_dma_latency", O_WRONLY);  // left open for the program to come
  const std::int32_t microseconds = 0;
  if (file >= 0 && write(file, &microseconds, sizeof microseconds) < 0) close(file);
}

// The scheduler leaves ranks that wait awake where they are, three on one processor and one on
// another, and a lab's hosts would be as fast as the neighbours that they happen to have. Of a
// process that may use none of these the ranks run where they may.
void pin_to(const std::vector<int>& processors) {
  const cpu_set_t allowed = allowed_processors();
  cpu_set_t pinned;
  CPU_ZERO(&pinned);
  for (const int processor : processors) {
    if (CPU_ISSET(processor, &allowed)) CPU_SET(processor, &pinned);
  }
  if (CPU_COUNT(&pinned) > 0) sched_setaffinity(0, sizeof pinned, &pinned);
}

void go_to_switch(const Lab& lab) {
  const char* path = std::getenv("PATH");  // on which Open MPI looks for its agent
  setenv("PATH", fmt::format("{}:{}", executable_folder().string(), path ? path : "").c_str(), 1);
  setenv(kInLabVariable, lab.name.c_str(), 1);
  keep_processors_awake();
  enter(namespace_of(lab.name, "net"), lab.name + "-net");
}

}  // namespace

std::string node_name(const std::string& lab, int host) {
  return fmt::format("{}-{}", lab, host_name(host));
}

// The sequential mapper puts a rank on each host of the list, in its order, also where one is in it
// twice. Ranks that wait give their core away by themselves, when they have nothing else to do; the
// library would also where it is only asked whether something has come.
std::vector<std::string> mpirun_command(const Lab& lab, int ranks, const std::vector<int>& places,
                                        const std::vector<std::string>& program) {
  std::vector<std::string> words = {"mpirun", "--allow-run-as-root", "--bind-to", "none"};
  const std::vector<std::string> parameters[] = {{"mpi_yield_when_idle", "0"},
                                                 {"rmaps", "seq"},
                                                 {"plm", "rsh"},
                                                 {"plm_rsh_agent", "tandem-lab enter"},
                                                 {"plm_rsh_no_tree_spawn", "1"},
                                                 {"btl", "tcp,self"},
                                                 {"btl_tcp_if_include", kSubnet},
                                                 {"oob_tcp_if_include", kSubnet}};
  for (const auto& parameter : parameters)
    words.insert(words.end(), {"--mca", parameter[0], parameter[1]});
  words.insert(words.end(), {"--host", node_list(lab, ranks, places), "-n", std::to_string(ranks)});
  words.insert(words.end(), program.begin(), program.end());
  return words;
}

void launch(const Lab& lab, int ranks, const std::vector<int>& places,
            const std::vector<std::string>& program, bool is_probe) {
  const std::vector<std::string> command = mpirun_command(lab, ranks, places, program);
  if (!is_probe) mend(lab);
  go_to_switch(lab);
  become(command);
}

int launch_disturbed(const Lab& lab, int ranks, const std::vector<int>& places,
                     const std::vector<std::string>& program, const LabFaults& faults) {
  const std::vector<std::string> command = mpirun_command(lab, ranks, places, program);
  note_interrupts();
  mend(lab);
  go_to_switch(lab);
  Disturbances disturbances(lab, load_scenario(faults.point).points.at(0), places,
                            Journal(faults.journal));
  std::optional<Seconds> began = faults.job_began;
  JournalReader journal(faults.journal);
  Process mpirun(command, std::nullopt);
  mpirun.set_patience(kPatience);
  bool is_disturbed = false;
  const auto act = [&] {
    for (const JournalEntry& entry : journal.read())
      if (!began && entry.moment == JobMoment::kBegins) began = entry.at;
    if (!began) return;
    disturbances.act(*began);
    // Its members train from then on.
    if (!std::exchange(is_disturbed, true)) Journal(faults.journal).note(JobMoment::kDisturbed, 0);
  };
  return mpirun.wait(act).exit_code;
}

void run_on_host(const std::string& node, const std::string& command) {
  const std::size_t name_end = node.rfind('-');
  const Lab lab = require_lab(node.substr(0, name_end));
  const std::string host = node.substr(name_end + 1);
  pin_to(processors_of(lab, host_called(lab, host, node)));
  enter(namespace_of(lab.name, host), node);
  become({"/bin/sh", "-c", command});
}

}  // namespace tandem::lab
