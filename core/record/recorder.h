#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/seconds.h"
#include "core/comm/kernel.h"
#include "core/record/program.h"
#include "core/record/task.h"
#include "core/record/traced_iterations.h"

namespace tandem {

/// Lanes of a member's timeline.
enum class Lane { kCompute, kWait, kCommunication };

/// What the time of a message or collective is made of, where a simulation knows.
struct MessageTime {
  Seconds latency = 0;  ///< of the links
  Seconds fixed = 0;    ///< what software takes, whatever the network
  Seconds reduce = 0;   ///< adding up what came, on the device
  Seconds alone = -1;   ///< all of it, had it every link to itself; below 0: unknown
};

/// A message or collective, as those who took part in it tell it from others.
struct MessageMark {
  std::uint64_t id = 0;  ///< Span::message
  int position = -1;     ///< Span::position
  MessageTime time = {};
  bool unasked = false;   ///< Span::unasked
  int iteration = -1;     ///< its member's when it was posted, if that may have changed since
  int tag = -1;           ///< Span::tag
  bool from_any = false;  ///< Span::from_any
  Task task = {};
  Turn turn = {};
  CollectiveRound round = {};
  std::int64_t order = -1;  ///< Span::order
};

/// Of the `number`th message of that tag from `source` to `destination`, from 1.
std::uint64_t message_mark(int source, int destination, int tag, std::uint64_t number);

/// A span on a member's timeline.
struct Span {
  Lane lane;
  std::string name;
  Seconds begin = 0;
  Seconds end = 0;
  std::uint64_t bytes = 0;
  int peer = -1;
  int iteration = -1;      ///< its member's, warm-up included
  std::string phase = {};  ///< of a computation
  /// The computations and waits of its member that came before it; of a message or collective,
  /// before it was posted, or -1 where nobody counted.
  int position = -1;
  /// Of a message or collective: what its member had posted or asked for before; -1: nobody
  /// counted.
  std::int64_t order = -1;
  /// The message or collective that it is or, of a wait, that ended it; 0: none or unknown. All
  /// members that take part in one call it the same.
  std::uint64_t message = 0;
  MessageTime time = {};
  bool unasked = false;  ///< of a message: it went when it was sent, not when both sides were there
  int tag = -1;          ///< of a message
  bool from_any = false;  ///< of a receive: it took whoever came first
  Task task = {};
  Turn turn = {};              ///< of a send
  CollectiveRound round = {};  ///< of a message or sum: in which its member did it
};

/// Bytes and messages of one member, payload only.
struct Traffic {
  std::uint64_t sent_bytes = 0;
  std::uint64_t received_bytes = 0;
  std::uint64_t sent_messages = 0;
  std::uint64_t received_messages = 0;
  std::uint64_t sent_packets =
      0;  ///< full-size Ethernet segments (kSegmentBytes) those messages need
  std::uint64_t received_packets = 0;
};

Traffic operator+(const Traffic& a, const Traffic& b);

/// Of `count` messages like one.
Traffic sent_messages(std::uint64_t bytes, int count = 1);
Traffic received_messages(std::uint64_t bytes, int count = 1);

/// One iteration of one member.
struct IterationRecord {
  Seconds begin = 0;
  Seconds end = 0;
  Seconds compute = 0;         ///< in kernels
  Seconds exposed = 0;         ///< in waits: nothing computed meanwhile on this member
  std::optional<double> loss;  ///< mean over the batch; nothing where the run carries no payload,
                               ///< or a stage of a pipeline does not end in the loss
  Traffic traffic;    ///< of messages waited for, and of collectives, from its begin to its end;
                      ///< of a server, of those that are part of a worker's iteration
  Seconds input = 0;  ///< of `compute`: waiting for the batch and loading it
};

/// How well the model did on the test set at a point of the training.
struct Evaluation {
  int iteration = 0;          ///< optimizer steps until then, warm-up included
  Seconds time = 0;           ///< that the evaluating member had spent in them
  std::uint64_t samples = 0;  ///< that all workers had taken in
  double accuracy = 0;
  /// By all members until then, where these were others than those who recorded the rest, of whose
  /// iterations there is nothing else; else 0.
  std::uint64_t inherited_bytes = 0;
};

/// What a job has taken over from one with other members, of whose iterations it has no records.
struct Inheritance {
  int iterations = 0;
  Seconds time = 0;                           ///< that rank 0 had spent in them
  std::uint64_t samples = 0, sent_bytes = 0;  ///< of all members together
};

/// With what the job itself did in those iterations, of `samples` each; of the bytes that it sent a
/// member's records don't tell.
Inheritance with_iterations(Inheritance before, const std::vector<IterationRecord>& iterations,
                            double samples);

/// So many updates were that stale.
struct StaleUpdates {
  std::int64_t staleness = 0;
  std::uint64_t updates = 0;
};

/// What a member recorded before its job was started anew.
struct RecordedPast {
  Inheritance inherited = {};
  std::vector<IterationRecord> iterations = {};  ///< after those
  std::vector<Evaluation> evaluations = {};      ///< in all of them
  Traffic traffic = {};                          ///< in its own
  std::vector<StaleUpdates> staleness = {};      ///< likewise
};

/// What one member did and when; the same in both worlds. Any thread may call it.
class Recorder {
 public:
  explicit Recorder(const TracedIterations& traced) : traced_(traced) {}

  /// Goes on from there. What would be traced of the iterations before is traced now.
  void resume(RecordedPast past);
  RecordedPast past() const;

  void begin_iteration(Seconds now);
  void end_iteration(Seconds now, std::optional<double> loss);

  /// Called by Worker.
  void computed(Phase phase, std::string_view name, Seconds begin, Seconds end);
  /// Until `message` was there, which is Span::message.
  void waited(Seconds begin, Seconds end, std::uint64_t message = 0);

  /// Called once a message, or once for `count` like ones, by Worker.
  void sent(std::uint64_t bytes, int count = 1);
  void received(std::uint64_t bytes, int count = 1);
  /// Many messages at once: of a collective, whose schedule says how many, into whatever slices it
  /// was cut.
  void transferred(const Traffic& traffic);
  /// Of what was counted last: it is part of `iteration`, which may be over or not have begun.
  void belongs_to(int iteration, const Traffic& traffic);
  /// Whether spans are kept of any iteration, so that it matters when a message began.
  bool traces() const { return traced_.count > 0; }
  /// A transfer or collective on the communication lane.
  void communicated(std::string_view name, Seconds begin, Seconds end, std::uint64_t bytes,
                    int peer, const MessageMark& mark = {});
  /// The computations and waits so far: Span::position of what is posted now.
  int position() const;

  /// What is done from now on is for this, until the returned one goes on. Called by the member's
  /// own thread, as are those below.
  Task begin_task(Task::Kind kind, std::uint64_t cause = 0);
  void resume_task(const Task& task);
  const Task& task() const { return task_; }
  /// A message is asked for now that is to go in its turn.
  Turn ask_for_turn(int priority);
  /// It goes now.
  void take_turn(const Turn& turn) { turn_ = turn; }
  /// When and for what a message is posted now. Its turn is over by that.
  Posted posted();

  /// An update was applied that was computed from weights which `updates` others have changed
  /// since.
  void staleness(int updates);
  /// How many updates were how stale, warm-up included; empty where nobody counts.
  const std::map<int, std::uint64_t>& staleness() const { return staleness_; }

  /// All traffic of the job so far, warm-up and the last pull of weights included.
  Traffic traffic() const;
  const std::vector<IterationRecord>& iterations() const { return iterations_; }
  /// The number of the iteration that is going on, or comes next.
  int iteration() const { return inherited_.iterations + static_cast<int>(iterations_.size()); }
  /// The number of the one that is going on, counted from 0; -1 in none.
  int iteration_under_way() const { return in_iteration_ ? iteration() : -1; }
  /// Those before them are recorded nowhere.
  const Inheritance& inherited() const { return inherited_; }

  void evaluated(const Evaluation& evaluation);
  const std::vector<Evaluation>& evaluations() const { return evaluations_; }

  const std::vector<Span>& spans() const { return spans_; }

  /// From now on the member's whole program is kept.
  void keep_program() { program_.emplace(); }
  /// Null where it isn't kept. Only the member's own thread may use it.
  Program* program() { return program_ ? &*program_ : nullptr; }

 private:
  bool tracing() const { return traced_.contains(iteration()); }

  mutable std::mutex mutex_;
  Inheritance inherited_;
  TracedIterations traced_;
  bool in_iteration_ = false;
  int position_ = 0;
  std::int64_t posted_ = 0;  ///< and asked for
  int tasks_ = 0;
  Task task_;
  Turn turn_;
  IterationRecord current_;
  std::vector<IterationRecord> iterations_;
  std::vector<Evaluation> evaluations_;
  std::vector<Span> spans_;
  std::map<int, std::uint64_t> staleness_;
  Traffic traffic_;
  Traffic traffic_at_begin_;
  std::map<int, Traffic> ahead_;  ///< by iteration that has not ended: what belongs to it
  std::optional<Program> program_;
};

/// What a member does while it lives is for this.
class DuringTask {
 public:
  DuringTask(Recorder& recorder, Task::Kind kind, std::uint64_t cause = 0)
      : recorder_(recorder), before_(recorder.begin_task(kind, cause)) {}
  DuringTask(const DuringTask&) = delete;
  DuringTask& operator=(const DuringTask&) = delete;
  ~DuringTask() { recorder_.resume_task(before_); }

 private:
  Recorder& recorder_;
  Task before_;
};

}  // namespace tandem
