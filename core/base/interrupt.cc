#include "core/base/interrupt.h"

#include <csignal>
#include <initializer_list>

namespace tandem {
namespace {

volatile std::sig_atomic_t noted_signal = 0;

extern "C" void note_signal(int signal) {
  noted_signal = signal;
}

}  // namespace

void note_interrupts() {
  struct sigaction action {};
  action.sa_handler = note_signal;  // without SA_RESTART: sleeps end early
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaction(signal, &action, nullptr);
  action.sa_handler = [](int) {};  // a child has ended: who naps until then need not nap on
  action.sa_flags = SA_RESTART;
  sigaction(SIGCHLD, &action, nullptr);
}

int interrupted() {
  return noted_signal;
}

void end_if_interrupted() {
  if (interrupted() != 0) throw Interrupted();
}

}  // namespace tandem
