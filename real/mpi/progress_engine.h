#pragma once

#include <mpi.h>

#include <atomic>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "core/collectives/collective_marks.h"
#include "core/comm/group.h"
#include "core/comm/turns.h"
#include "real/mpi/backoff.h"
#include "real/mpi/collective_queue.h"
#include "real/mpi/communicator.h"
#include "real/mpi/device_collectives.h"
#include "real/mpi/farewell.h"
#include "real/mpi/pending.h"
#include "real/mpi/request_set.h"
#include "real/mpi/shared/node.h"
#include "real/mpi/socket_watch.h"

namespace tandem::mpi {

/// Drives a member's messages and collectives: while the member waits on the member's own thread,
/// which so need not be woken when they are done, and while it computes on a thread of the engine,
/// which sleeps otherwise. Between construction and destruction these make all MPI calls of the
/// process, one at a time. Who drives looks at what is in flight when something happens on a
/// connection, and as often as Backoff says.
class ProgressEngine {
 public:
  /// Duplicates `parent`: collective over it, as is destruction, which waits until every member has
  /// come to it. `recorder` and `clock` must outlive it.
  ProgressEngine(MPI_Comm parent, Recorder& recorder, const Clock& clock, Way way = Way::kMemory);
  ~ProgressEngine();
  ProgressEngine(const ProgressEngine&) = delete;
  ProgressEngine& operator=(const ProgressEngine&) = delete;

  /// Does what destruction does, for a member that has ended as it should. Throws what the engine's
  /// thread ended with, and RunError where a message is left over: one to this member that it never
  /// received, or a receive of its own that it left behind unmet. Nothing may be asked for after.
  void end();

  const Group& group() const { return group_; }
  /// The ranks of this host, which share memory; the engine owns it.
  Node& node() { return node_; }
  const Node& node() const { return node_; }

  /// As Worker's functions of these names; for one thread, the member's own.
  Handle send(int peer, Tag tag, View view);
  Handle send_in_turn(int peer, Tag tag, View view);
  Handle receive(int peer, Tag tag, View view);
  /// Where `device` has something, that does the collective, and nobody looks at the view's data.
  Handle start(std::unique_ptr<const Schedule> schedule, View view, DeviceCollective device = {});
  std::optional<Completion> wait_any(std::span<Handle> handles, Seconds timeout);

  /// The member has something else to do for a while: what is in flight goes on without it.
  void go_on_alone();

 private:
  /// What the member's thread asks for.
  struct Request {
    enum class Kind { kSend, kSendInTurn, kReceive, kCollective } kind;
    std::shared_ptr<Pending> pending;  ///< a Collective, or that of a message
    View view = {};
    int peer = -1;
    Tag tag = 0;
  };
  /// What the thread is to do after a step().
  enum class Next { kAgain, kPoll, kSleep, kEnd };

  void close();
  Handle ask(Request request);
  void take_over();
  std::optional<Completion> drive(std::span<Handle> handles, Seconds deadline);
  void run();
  bool await_turn();
  void drive_alone();
  bool give_turn_back();
  Next step();
  Next try_to_step();
  bool is_test_due();
  void take_requests();
  template <typename Post>
  bool try_to_begin(const Post& post);
  void post(Request&& request);
  void post_message(Request&& request);
  std::uint64_t next_mark(int source, int destination, Tag tag);
  void post_collective(Request&& request);
  bool anyone_lost() const;
  bool is_lost(int peer) const;
  void give_up_on_lost();
  void note_unmet();
  void note_unreceived(const Communicator& comm);
  bool is_to_yield(bool alone) const;
  void rest(Next next, Seconds deadline, bool alone);
  bool is_asked(bool alone) const;
  void wake();
  void fail(std::exception_ptr error);
  std::optional<Completion> find_done(std::span<Handle> handles) const;

  const Clock& clock_;
  Recorder& recorder_;
  Communicator messages_;
  Communicator collectives_comm_;
  Group group_;

  Node node_;
  bool has_own_core_;  ///< as long as the member computes nothing

  std::mutex driving_;  ///< held by who drives; what follows is that thread's
  std::vector<Request> taken_;
  RequestSet requests_;
  Turns<int, Request> turns_;  ///< by peer
  /// By source, destination and tag; of a traced run alone, as marks_ are.
  std::map<std::tuple<int, int, Tag>, std::uint64_t> messages_done_;
  CollectiveMarks marks_;
  CollectiveQueue collectives_;
  Farewell farewell_;
  Backoff backoff_;
  bool mpi_yields_;  ///< gives the core away in a test that finds nothing
  SocketWatch watch_;
  Seconds last_loss_ = 0;  ///< when a member was last found to have left
  std::string left_over_;  ///< the first message that is; read once the thread has ended
  bool ended_ = false;     ///< all have said farewell
  int tests_left_out_ = 0;

  std::mutex mutex_;
  std::condition_variable turns_to_;  ///< the engine's thread
  std::vector<Request> asked_for_;
  std::atomic<bool> has_requests_ = false;
  std::atomic<bool> closing_ = false;
  std::atomic<bool> alone_ = false;  ///< the engine's thread drives; changed under mutex_
  std::atomic<bool> busy_ = false;   ///< something is in flight, for go_on_alone()
  std::atomic<bool> rests_ = false;  ///< who drives, and is to be woken
  std::atomic<bool> failed_ = false;
  std::exception_ptr failure_;  ///< set before failed_

  std::jthread thread_;  // last: it uses the others
};

}  // namespace tandem::mpi
