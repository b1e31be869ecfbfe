#include "core/command/hostfile.h"

#include <fmt/format.h>

#include <algorithm>
#include <regex>
#include <sstream>

#include "core/base/atomic_file.h"
#include "core/base/error.h"

namespace tandem {

std::vector<std::string> slots_of(const std::filesystem::path& hostfile) {
  static const std::regex slots_word(R"(\bslots\s*=\s*(\S*))"), count(R"(\d{1,6})");
  std::vector<std::pair<std::string, int>> hosts;  // Open MPI adds up the lines of one
  std::istringstream in(read_file(hostfile));
  int number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    line = line.substr(0, line.find('#'));
    std::string name;
    if (!(std::istringstream(line) >> name)) continue;
    std::smatch match;
    auto host = std::ranges::find(hosts, name, &std::pair<std::string, int>::first);
    if (host == hosts.end()) host = hosts.insert(host, {name, 0});
    const bool says_slots = std::regex_search(line, match, slots_word);
    if (says_slots && !std::regex_match(match[1].str(), count))
      throw InputError(fmt::format("{}:{}: slots is '{}', but has to be a whole number",
                                   hostfile.string(), number, match[1].str()));
    host->second += says_slots ? std::stoi(match[1]) : 1;
  }
  if (hosts.empty())
    throw InputError(fmt::format("{}: names no host; write a line for each, such as: node1 slots=2",
                                 hostfile.string()));
  std::vector<std::string> slots;
  for (const auto& [name, count] : hosts) slots.insert(slots.end(), count, name);
  return slots;
}

}  // namespace tandem
