#include "core/model/partition.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "core/base/error.h"

namespace tandem {
namespace {

/// Where a stage may end.
struct Place {
  int layer;        ///< its last
  double cost;      ///< of that layer and all before it
  double crossing;  ///< elements of its output
};

constexpr double kImpossible = std::numeric_limits<double>::infinity();

double cost_of(const Layer& layer) {
  return layer.forward_flops + layer.backward_flops;
}

/// The last of them is the model's end.
std::vector<Place> places_of(const LayerGraph& graph) {
  const auto layers = graph.layers();
  const int count = static_cast<int>(layers.size());
  std::vector<int> last_reader(layers.size());
  for (int i = 0; i < count; ++i) {
    for (const int input : layers[i].inputs) last_reader[input] = i;
  }
  std::vector<Place> places;
  double cost = 0;
  int read_until = 0;  // outputs of the layers before i
  for (int i = 0; i < count; ++i) {
    cost += cost_of(layers[i]);
    const bool is_end = i + 1 == count;
    if (is_end || (layers[i].needs_gradient && read_until <= i)) {
      places.push_back({i, cost, static_cast<double>(layers[i].output.elements())});
    }
    read_until = std::max(read_until, last_reader[i]);
  }
  return places;
}

/// A range that begins behind place `from`, or at the beginning for -1, and ends at `to`.
double cost_between(const std::vector<Place>& places, int from, int to) {
  return places[to].cost - (from < 0 ? 0 : places[from].cost);
}

/// The least that the most expensive of `stages` ranges can cost. With k stages up to place j, the
/// last of them begins behind a place i: the further back, the more it costs itself.
double least_maximum(const std::vector<Place>& places, int stages) {
  const int count = static_cast<int>(places.size());
  std::vector<double> most(count);
  for (int j = 0; j < count; ++j) most[j] = cost_between(places, -1, j);
  for (int k = 2; k <= stages; ++k) {
    std::vector<double> next(count, kImpossible);
    for (int j = k - 1; j < count; ++j) {
      for (int i = j - 1; i >= k - 2 && cost_between(places, i, j) < next[j]; --i) {
        next[j] = std::min(next[j], std::max(most[i], cost_between(places, i, j)));
      }
    }
    most = std::move(next);
  }
  return most.back();
}

/// The places where `stages` ranges end that cost at most `cap` each, such that the fewest elements
/// cross.
std::vector<int> cheapest_ends(const std::vector<Place>& places, int stages, double cap) {
  const int count = static_cast<int>(places.size());
  std::vector<std::vector<int>> before(stages, std::vector<int>(count, -1));
  std::vector<double> crossing(count, kImpossible);
  for (int j = 0; j < count; ++j) {
    if (cost_between(places, -1, j) <= cap) crossing[j] = 0;
  }
  for (int k = 1; k < stages; ++k) {
    std::vector<double> next(count, kImpossible);
    for (int j = k; j < count; ++j) {
      for (int i = j - 1; i >= k - 1 && cost_between(places, i, j) <= cap; --i) {
        const double sum = crossing[i] + places[i].crossing;
        if (sum >= next[j]) continue;
        next[j] = sum;
        before[k][j] = i;
      }
    }
    crossing = std::move(next);
  }
  std::vector<int> ends(stages, count - 1);
  for (int k = stages - 1; k > 0; --k) ends[k - 1] = before[k][ends[k]];
  return ends;
}

}  // namespace

std::vector<LayerRange> partition(const LayerGraph& graph, int stages) {
  const std::vector<Place> places = places_of(graph);
  if (stages > static_cast<int>(places.size())) {
    throw InputError(fmt::format(
        "model {} can be cut into {} stages at most, for it is cut only where a single tensor is "
        "handed on, but the pipeline has {}; lower algorithm.stages",
        graph.name(), places.size(), stages));
  }
  std::vector<LayerRange> ranges;
  int first = 1;
  for (const int end : cheapest_ends(places, stages, least_maximum(places, stages))) {
    ranges.push_back({first, places[end].layer});
    first = places[end].layer + 1;
  }
  return ranges;
}

double cost_of(const LayerGraph& graph, const LayerRange& range) {
  double cost = 0;
  for (int i = range.first; i <= range.last; ++i) cost += cost_of(graph.layers()[i]);
  return cost;
}

}  // namespace tandem
