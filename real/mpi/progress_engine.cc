#include "real/mpi/progress_engine.h"

#include <fmt/format.h>
#include <sched.h>
#include <sys/prctl.h>

#include <algorithm>

#include "core/base/error.h"
#include "core/comm/left_over.h"
#include "real/mpi/agree.h"
#include "real/mpi/variable.h"

namespace tandem::mpi {
namespace {

/// How long sends to a member that has left may still take to complete on their own.
constexpr Seconds kSendsLinger = 1;

int mpi_peer(int peer) {
  return peer == kAnyPeer ? MPI_ANY_SOURCE : peer;
}

int own_peer(int peer) {
  return peer == MPI_ANY_SOURCE ? kAnyPeer : peer;
}

std::shared_ptr<Pending> message_with(int peer) {
  auto pending = std::make_shared<Pending>();
  pending->awaited = peer;
  return pending;
}

}  // namespace

// Sleeps as short as asked for, where the default adds 50 us; threads made from here on inherit it.
ProgressEngine::ProgressEngine(MPI_Comm parent, Recorder& recorder, const Clock& clock, Way way)
    : clock_(clock),
      recorder_(recorder),
      messages_(parent),
      collectives_comm_(parent),
      group_{.rank = messages_.rank(), .size = messages_.size()},
      node_(messages_.get(), way),
      has_own_core_(messages_.has_cores_for_all()),
      collectives_(collectives_comm_.get(), group_.size, node_,
                   !agree(messages_.get(), has_own_core_), requests_, recorder, clock),
      farewell_({&messages_, &collectives_comm_}, requests_),
      backoff_(!messages_.has_neighbours()),
      mpi_yields_(yields_when_idle()) {
  prctl(PR_SET_TIMERSLACK, 1);
  farewell_.listen();
  thread_ = std::jthread([this] { run(); });
}

ProgressEngine::~ProgressEngine() {
  close();
}

void ProgressEngine::close() {
  {
    std::lock_guard lock(mutex_);
    closing_ = true;
    alone_ = true;
  }
  turns_to_.notify_one();
  wake();
}

void ProgressEngine::end() {
  close();
  thread_.join();
  if (failed_) std::rethrow_exception(failure_);
  if (!left_over_.empty()) throw RunError(left_over_);
}

// ---- the member's thread

Handle ProgressEngine::send(int peer, Tag tag, View view) {
  return ask({Request::Kind::kSend, message_with(peer), std::move(view), peer, tag});
}

Handle ProgressEngine::send_in_turn(int peer, Tag tag, View view) {
  return ask({Request::Kind::kSendInTurn, message_with(peer), std::move(view), peer, tag});
}

Handle ProgressEngine::receive(int peer, Tag tag, View view) {
  return ask({Request::Kind::kReceive, message_with(peer), std::move(view), peer, tag});
}

Handle ProgressEngine::start(std::unique_ptr<const Schedule> schedule, View view,
                             DeviceCollective device) {
  const bool is_done = schedule->rounds() == 0;  // such as a member alone: not worth a wake-up
  auto collective = std::make_shared<Collective>(std::move(schedule), std::move(view),
                                                 std::move(device), collectives_.sender());
  if (!is_done) return ask({Request::Kind::kCollective, std::move(collective)});
  collective->complete(-1, nullptr);
  return Handle(std::move(collective));
}

Handle ProgressEngine::ask(Request request) {
  if (request.tag < 0 || request.tag >= farewell_.tag()) {
    throw std::logic_error(
        fmt::format("tag {} is outside [0, {}), which MPI has", request.tag, farewell_.tag()));
  }
  Handle handle(request.pending);
  if (try_to_begin([&] { post(std::move(request)); })) return handle;
  {
    std::lock_guard lock(mutex_);
    asked_for_.push_back(std::move(request));
    has_requests_ = true;
  }
  busy_ = true;
  wake();
  try_to_begin([] {});  // whoever drove may have stopped meanwhile
  return handle;
}

// What was asked for before, and then what `post` posts, where nobody else drives.
template <typename Post>
bool ProgressEngine::try_to_begin(const Post& post) {
  const std::unique_lock lock(driving_, std::try_to_lock);
  if (!lock) return false;
  try {
    if (has_requests_) take_requests();
    post();
    busy_.store(true, std::memory_order_relaxed);
    backoff_.happened();
  } catch (...) {
    fail(std::current_exception());
  }
  return true;
}

void ProgressEngine::wake() {
  if (rests_.exchange(false)) watch_.wake();
}

void ProgressEngine::go_on_alone() {
  if (alone_ || !busy_) return;
  {
    std::lock_guard lock(mutex_);
    alone_ = true;
  }
  turns_to_.notify_one();
}

std::optional<Completion> ProgressEngine::find_done(std::span<Handle> handles) const {
  if (failed_) std::rethrow_exception(failure_);
  for (std::size_t i = 0; i < handles.size(); ++i) {
    if (handles[i].empty()) continue;
    const auto& pending = static_cast<const Pending&>(*handles[i].get());
    if (!pending.is_done()) continue;
    const Completion completion{i, pending.peer, pending.moved};
    const std::exception_ptr error = pending.error;
    handles[i].reset();
    if (error) std::rethrow_exception(error);
    return completion;
  }
  return std::nullopt;
}

std::optional<Completion> ProgressEngine::wait_any(std::span<Handle> handles, Seconds timeout) {
  if (auto completion = find_done(handles)) return completion;
  const Seconds deadline = timeout == kForever ? kForever : clock_.now() + timeout;
  take_over();
  const std::lock_guard lock(driving_);
  return drive(handles, deadline);
}

void ProgressEngine::take_over() {
  if (!alone_) return;
  {
    std::lock_guard lock(mutex_);
    alone_ = false;
  }
  wake();
}

std::optional<Completion> ProgressEngine::drive(std::span<Handle> handles, Seconds deadline) {
  while (true) {
    const Next next = try_to_step();
    if (auto completion = find_done(handles)) return completion;
    if (deadline != kForever && clock_.now() >= deadline) return std::nullopt;
    rest(next, deadline, false);
  }
}

/// What fails is kept while this thread drives still, so that nobody steps what has failed.
ProgressEngine::Next ProgressEngine::try_to_step() {
  try {
    if (!failed_) return step();
  } catch (...) {
    fail(std::current_exception());
  }
  return Next::kAgain;
}

// ---- the engine's thread

void ProgressEngine::run() {
  try {
    while (await_turn()) drive_alone();
    if (failed_) return;
    for (const Communicator* comm : {&messages_, &collectives_comm_}) note_unreceived(*comm);
    messages_.free();
    collectives_comm_.free();
  } catch (...) {
    const std::lock_guard lock(driving_);
    fail(std::current_exception());
  }
}

/// False once there will be none any more.
bool ProgressEngine::await_turn() {
  std::unique_lock lock(mutex_);
  turns_to_.wait(lock, [this] { return alone_.load(); });
  return !ended_ && !failed_;
}

void ProgressEngine::drive_alone() {
  const std::lock_guard lock(driving_);
  while (alone_ && !failed_) {
    const Next next = try_to_step();
    ended_ = next == Next::kEnd;
    if (ended_ || (next == Next::kSleep && give_turn_back())) return;
    rest(next, kForever, true);
  }
}

/// Unless the member has asked for something meanwhile.
bool ProgressEngine::give_turn_back() {
  std::lock_guard lock(mutex_);
  if (closing_ || has_requests_) return false;
  alone_ = false;
  return true;
}

ProgressEngine::Next ProgressEngine::step() {
  const bool closing = closing_;  // before taking requests, so that none is left behind
  const bool asked = has_requests_;
  if (asked) take_requests();
  const bool worked = collectives_.step();
  const bool moved = is_test_due() && requests_.test() > 0;
  if (moved) backoff_.completed();
  if (anyone_lost()) give_up_on_lost();
  const bool in_flight = requests_.in_flight() > 0 || collectives_.needs_steps();
  busy_.store(in_flight || has_requests_, std::memory_order_relaxed);
  if (closing && !farewell_.said()) {
    note_unmet();
    farewell_.say();
    return Next::kAgain;
  }
  if (asked || worked || moved) return Next::kAgain;
  if (in_flight) return Next::kPoll;
  if (farewell_.said()) return farewell_.all_have_left() ? Next::kEnd : Next::kPoll;
  return Next::kSleep;
}

// A test may give the core away, more than once. What is waited for in memory is seen without; only
// farewells come by MPI then, and they have time.
bool ProgressEngine::is_test_due() {
  constexpr int kLeftOut = 16;
  if (!collectives_.needs_steps() || requests_.in_flight() > 0) return true;
  tests_left_out_ = (tests_left_out_ + 1) % kLeftOut;
  return tests_left_out_ == 0;
}

void ProgressEngine::take_requests() {
  taken_.clear();
  {
    std::lock_guard lock(mutex_);
    taken_.swap(asked_for_);
    has_requests_ = false;
  }
  for (Request& request : taken_) post(std::move(request));
}

void ProgressEngine::post(Request&& request) {
  if (request.kind == Request::Kind::kCollective) return post_collective(std::move(request));
  if (request.kind != Request::Kind::kSendInTurn) return post_message(std::move(request));
  const int peer = request.peer;
  if (auto admitted = turns_.admit(peer, std::move(request))) post_message(std::move(*admitted));
}

void ProgressEngine::post_collective(Request&& request) {
  auto collective = std::static_pointer_cast<Collective>(std::move(request.pending));
  if (recorder_.traces()) collective->moved.message = marks_.next(*collective->schedule);
  collectives_.push(std::move(collective));
}

// Messages of one tag between two members arrive in the order in which they were sent. Only traces
// tell of marks.
std::uint64_t ProgressEngine::next_mark(int source, int destination, Tag tag) {
  if (!recorder_.traces()) return 0;
  return message_mark(source, destination, tag, ++messages_done_[{source, destination, tag}]);
}

void ProgressEngine::post_message(Request&& request) {
  const bool receives = request.kind == Request::Kind::kReceive;
  auto on_done = [this, kind = request.kind, receives, begin = span_time(clock_, recorder_),
                  bytes = request.view.bytes(), tag = request.tag,
                  pending = std::move(request.pending)](const Outcome& outcome) {
    const int peer = own_peer(outcome.source);
    const std::exception_ptr error =
        outcome.cancelled ? std::make_exception_ptr(PeerLost(peer)) : outcome.error;
    if (!error) {
      const std::uint64_t id =
          receives ? next_mark(peer, group_.rank, tag) : next_mark(group_.rank, peer, tag);
      pending->moved = {receives ? Moved::What::kReceived : Moved::What::kSent, bytes, 1, id};
      recorder_.communicated(receives ? "receive" : "send", begin, span_time(clock_, recorder_),
                             bytes, peer, {.id = id});
    }
    pending->complete(receives ? peer : -1, error);
    if (kind != Request::Kind::kSendInTurn) return;
    if (auto next = turns_.arrived(peer)) post_message(std::move(*next));
  };
  const int peer = mpi_peer(request.peer);
  if (receives) {
    requests_.receive(messages_.get(), peer, request.tag, std::move(request.view),
                      std::move(on_done));
  } else {
    requests_.send(messages_.get(), peer, request.tag, std::move(request.view), std::move(on_done));
  }
}

// What the member asked for and then left behind.
void ProgressEngine::note_unmet() {
  if (const auto receive = requests_.first_receive()) {
    left_over_ = unmet(group_.rank, own_peer(receive->peer), receive->tag);
  }
}

// All have said farewell, so whatever was sent is here.
void ProgressEngine::note_unreceived(const Communicator& comm) {
  if (const auto message = comm.waiting_message(); message && left_over_.empty()) {
    left_over_ = unreceived(group_.rank, message->source, message->tag, message->bytes);
  }
}

bool ProgressEngine::anyone_lost() const {
  return farewell_.any_has_left() || farewell_.said();
}

// Once this member has said farewell, it waits for nobody.
bool ProgressEngine::is_lost(int peer) const {
  return farewell_.said() || farewell_.has_left(peer);
}

void ProgressEngine::give_up_on_lost() {
  if (farewell_.news()) last_loss_ = clock_.now();
  requests_.cancel_receives([this](int peer) { return is_lost(peer); });
  collectives_.give_up_on([this](int peer) { return is_lost(peer); });
  if (clock_.now() - last_loss_ < kSendsLinger) return;
  const auto gone = [this](int peer) { return farewell_.has_left(peer); };
  requests_.abandon_sends(gone, [](int peer) { return std::make_exception_ptr(PeerLost(peer)); });
}

bool ProgressEngine::is_asked(bool alone) const {
  return has_requests_ || (closing_ && !farewell_.said()) || alone_ != alone;
}

// Where ranks have cores enough, one that waits gives none away: whatever else runs on the machine
// would keep it. MPI's own look may have given it away already.
bool ProgressEngine::is_to_yield(bool alone) const {
  if (has_own_core_ && !alone) return false;
  return !mpi_yields_ || requests_.in_flight() == 0;
}

void ProgressEngine::rest(Next next, Seconds deadline, bool alone) {
  if (next == Next::kAgain) return backoff_.happened();
  const Seconds now = clock_.now();
  const Seconds pause = next == Next::kSleep ? kForever : backoff_.pause(now);
  if (pause == 0) {
    if (is_to_yield(alone)) sched_yield();
    return;
  }
  rests_ = true;
  if (!is_asked(alone)) {
    const SocketWatch::Reason reason = watch_.wait(std::clamp(deadline - now, 0.0, pause));
    if (reason != SocketWatch::Reason::kWoken)
      backoff_.woke(clock_.now(), reason == SocketWatch::Reason::kSocket);
  }
  rests_ = false;
}

void ProgressEngine::fail(std::exception_ptr error) {
  if (failed_) return;
  failure_ = std::move(error);
  failed_ = true;
}

}  // namespace tandem::mpi
