#include "core/collectives/all_reduce.h"

#include <algorithm>
#include <map>

#include "core/collectives/binomial_tree.h"
#include "core/collectives/double_binary_tree.h"
#include "core/collectives/halving_doubling.h"
#include "core/collectives/hierarchical.h"
#include "core/collectives/linear.h"
#include "core/collectives/recursive_doubling.h"
#include "core/collectives/ring.h"
#include "core/collectives/segmented_ring.h"

namespace tandem {
namespace {

struct Order {
  const AllReduceOptions& options;
  DType dtype;

  std::size_t segment_elements() const {
    return std::max<std::size_t>(1, options.segment_bytes / size_of(dtype));
  }
};
using Maker = ScheduleFactory (*)(const Order&);

const std::map<std::string, Maker>& table() {
  static const std::map<std::string, Maker> kTable = {
      {"binomial_tree", [](const Order&) { return ScheduleFactory(binomial_tree); }},
      {"double_binary_tree",
       [](const Order& o) { return double_binary_tree(o.segment_elements()); }},
      {"halving_doubling", [](const Order&) { return ScheduleFactory(halving_doubling); }},
      {"hierarchical", [](const Order& o) { return hierarchical(o.options.node_size.value()); }},
      {"linear", [](const Order&) { return ScheduleFactory(linear_all_reduce); }},
      {"recursive_doubling", [](const Order&) { return ScheduleFactory(recursive_doubling); }},
      {"ring", [](const Order&) { return ScheduleFactory(ring_all_reduce); }},
      {"segmented_ring", [](const Order& o) { return segmented_ring(o.segment_elements()); }},
  };
  return kTable;
}

}  // namespace

std::vector<std::string> all_reduce_names() {
  std::vector<std::string> names;
  for (const auto& entry : table()) names.push_back(entry.first);
  return names;
}

ScheduleFactory all_reduce(const std::string& name, const AllReduceOptions& options, DType dtype) {
  return table().at(name)({options, dtype});
}

}  // namespace tandem
