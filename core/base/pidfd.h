#pragma once

// pidfd_open() and pidfd_send_signal().
extern "C" {  // which glibc 2.36 leaves out
#include <sys/pidfd.h>
}
