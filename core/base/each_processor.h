#pragma once

/// Before a function: it is made for the vectors of newer processors too, of which the one that it
/// runs on takes its own. Operations are neither fused (-ffp-contract=off) nor reordered for that,
/// so bits are the same. Sanitizers can't be asked which processor that is.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__)
#define TANDEM_EACH_PROCESSOR __attribute__((target_clones("arch=x86-64-v4", "avx2", "default")))
#else
#define TANDEM_EACH_PROCESSOR
#endif
