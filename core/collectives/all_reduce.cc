#include "core/collectives/all_reduce.h"

#include <map>

#include "core/collectives/ring.h"

namespace tandem {
namespace {

const std::map<std::string, ScheduleFactory>& table() {
  static const std::map<std::string, ScheduleFactory> kTable = {{"ring", ring_all_reduce}};
  return kTable;
}

}  // namespace

std::vector<std::string> all_reduce_names() {
  std::vector<std::string> names;
  for (const auto& entry : table()) names.push_back(entry.first);
  return names;
}

const ScheduleFactory& all_reduce(const std::string& name) {
  return table().at(name);
}

}  // namespace tandem
