#include "sim/plain_words.h"

namespace tandem {

std::string_view in_plain_words(std::string_view message) {
  if (message == "stod" || message == "stoi")
    return "a bandwidth_file, availability_file or state_file has what is no number; "
           "their lines are a time in seconds and a value";
  if (message.starts_with("invalid ")) return "a <prop> of <config> has a value of the wrong kind";
  if (message == "Not a valid model!")
    return "a zone's routing is none that SimGrid knows; give Full, Floyd, Dijkstra, "
           "DijkstraCache, Vivaldi or None";
  return message;
}

}  // namespace tandem
