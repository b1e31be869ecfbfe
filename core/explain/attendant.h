#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace tandem {

/// What an attendant does next.
struct Deed {
  enum class Kind {
    kStep,        ///< a computation or wait, which the next deed comes after
    kPost,        ///< its side of a message
    kAsk,         ///< for a message to go in its turn
    kLook,        ///< whether something has come, which it then sees to first
    kCount,       ///< a message as seen, and do what was held back until then
    kCountPutOff  ///< what was put off for messages of its tag as done, likewise
  };
  Kind kind = Kind::kStep;
  std::size_t event = 0;  ///< EventId
  int after = 0;          ///< of what was put off, so much has to have been done
};
using Deeds = std::vector<Deed>;

/// In place of a rank: what was put off for messages of a tag.
inline constexpr int kPutOffWork = -1;
/// In place of a rank: all that several things are held back for alike, by its number in place of a
/// tag.
inline constexpr int kJoint = -2;

/// How many messages, by whom they are from and their tag.
using MessageCounts = std::map<std::pair<int, int>, int>;

/// What an attendant has to have seen before it sends a message.
struct Needs {
  MessageCounts own;  ///< empty: nothing but what it was sent for
  /// What it needs besides, as all others of the same destination and number do: asked for once for
  /// all of them, while the rule is there. None where there is nothing such.
  std::function<MessageCounts()> joint = {};
};

/// Of the message of a tag and number, from 0, to a rank.
using HoldRule = std::function<Needs(int destination, int tag, int number)>;

/// A member that sees to whatever comes first (comm/reactor.h): what it did, by what it did it for.
/// In which order it does that after a change follows from when what it is for comes.
struct Attendant {
  /// Put off until nothing more had come, and so for all that came of a group, whichever was last.
  struct PutOff {
    int group = 0;
    int count = 0;  ///< so many of the group have to be seen to first
    Deeds deeds = {};
  };

  /// Held back until so many messages have been counted, whichever of them is the last.
  struct Held {
    MessageCounts needs = {};
    Deeds deeds = {};
    std::optional<int> joint = {};  ///< as which it is counted then itself, of kJoint
  };

  Deeds program;                           ///< done unless something else is to be
  std::map<std::size_t, Deeds> reactions;  ///< by the message, of which they see the end
  std::map<std::size_t, int> groups;       ///< of these messages: of one tag and iteration
  std::vector<PutOff> put_off;
  std::vector<Held> held;
  std::map<std::size_t, Deeds> turns;  ///< by the message whose turn it is
};

/// By rank.
using Attendants = std::map<int, Attendant>;

}  // namespace tandem
