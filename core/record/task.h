#pragma once

#include <cstdint>

namespace tandem {

/// For what a member does something that serves whoever comes first (comm/reactor.h).
struct Task {
  enum class Kind {
    kOwn,       ///< its own program
    kServing,   ///< waiting for whatever comes first
    kReaction,  ///< to what came
    kPutOff,    ///< until nothing more had come: it does not matter which of what came was last
    kTurn       ///< a message whose turn has come
  };

  Kind kind = Kind::kOwn;
  int number = 0;           ///< of its member's tasks
  std::uint64_t cause = 0;  ///< Span::message of what came
};

/// That a message goes in turn: so many of those to its peer at a time, the most urgent first.
struct Turn {
  int position =
      -1;            ///< the computations and waits of its member before it was asked for; -1: none
  int priority = 0;  ///< the larger, the earlier
  std::int64_t order = -1;  ///< what its member had posted or asked for before
  Task task = {};           ///< in which it was asked for
};

/// That something is a part of a collective.
struct CollectiveRound {
  std::uint64_t collective = 0;  ///< its Span::message; 0: it is a part of none
  int number = -1;               ///< of the round
  int slice = 0;                 ///< whose it is, of those that go beside each other
};

/// When and for what a message was posted.
struct Posted {
  int position = -1;
  std::int64_t order = -1;  ///< what its member had posted or asked for before
  Task task = {};
  Turn turn = {};
  CollectiveRound round = {};
};

}  // namespace tandem
