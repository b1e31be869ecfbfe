#include "sim/plain_words.h"

namespace tandem {
namespace {

/// Of "Parse error at FILE:12: MESSAGE", where the file may be one in memory, what follows FILE.
PlainWords after_place(std::string_view said) {
  constexpr std::string_view kPlace = "Parse error at ";
  if (!said.starts_with(kPlace)) return {.line = {}, .message = said, .advice = {}};
  for (std::size_t end = said.find(": "); end != said.npos; end = said.find(": ", end + 1)) {
    const std::size_t colon = said.rfind(':', end - 1);
    const std::string_view number = said.substr(colon + 1, end - colon - 1);
    if (colon == said.npos || number.empty() || number.find_first_not_of("0123456789") != said.npos)
      continue;
    return {.line = said.substr(colon, end - colon), .message = said.substr(end + 2), .advice = {}};
  }
  return {.line = {}, .message = said.substr(kPlace.size()), .advice = {}};
}

}  // namespace

PlainWords in_plain_words(std::string_view said) {
  PlainWords words = after_place(said);
  std::string_view& message = words.message;
  if (message == "stod")
    message =
        "a bandwidth_file, availability_file or state_file has what is no number; "
        "their lines are a time in seconds and a value";
  if (message == "stoi")
    message = "radical, core or another count has what is no whole number up to 2147483647";
  if (message.starts_with("invalid "))
    message = "a <prop> of <config> has a value of the wrong kind";
  if (message.empty() || message.starts_with("malloc") || message.starts_with("free"))
    message = "SimGrid crashed on it; is something missing, such as a zone, hosts or routes?";
  if (message == "Not a valid model!")
    message =
        "a zone's routing is none that SimGrid knows; give Full, Floyd, Dijkstra, "
        "DijkstraCache, Vivaldi or None";
  if (message.starts_with("unknown unit: "))
    words.advice = "; units are such as Gbps or MBps (bytes), us or ms, Gf";
  return words;
}

}  // namespace tandem
