#include "core/collectives/choose.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>

namespace tandem {
namespace {

/// What a cost depends on.
struct Job {
  int ranks;
  double bytes;
  const AllReduceOptions& options;
  const NetworkFigures& figures;

  Seconds adding(double amount) const { return amount / figures.adding_bandwidth; }
};

Seconds ring_cost(const Job& job) {
  const double chunk = job.bytes / job.ranks;
  const int steps = job.ranks - 1;
  return 2 * steps * job.figures.shifts[0].time(chunk) + steps * job.adding(chunk);
}

Seconds segmented_ring_cost(const Job& job) {
  const double chunk = job.bytes / job.ranks;
  const double segment = static_cast<double>(job.options.segment_bytes);
  const double phases = std::max(1.0, std::ceil(chunk / segment));
  return ring_cost(job) + (phases - 1) * (job.ranks - 1) * job.figures.shifts[0].latency;
}

/// What a number of ranks that is no power of two adds: FoldingSchedule.
Seconds folding_cost(const Job& job) {
  return 2 * job.figures.shifts[0].time(job.bytes) + job.adding(job.bytes);
}

Seconds halving_doubling_cost(const Job& job) {
  const auto ranks = static_cast<unsigned>(job.ranks);
  Seconds cost = 0;
  double part = job.bytes;
  for (int j = 0; 2U << j <= ranks; ++j) {
    part /= 2;
    cost += 2 * job.figures.shifts[j].time(part) + job.adding(part);
  }
  return std::has_single_bit(ranks) ? cost : cost + folding_cost(job);
}

Seconds recursive_doubling_cost(const Job& job) {
  const auto ranks = static_cast<unsigned>(job.ranks);
  Seconds cost = 0;
  for (int j = 0; 2U << j <= ranks; ++j)
    cost += job.figures.shifts[j].time(job.bytes) + job.adding(job.bytes);
  return std::has_single_bit(ranks) ? cost : cost + folding_cost(job);
}

// Rank 0 receives from one after the other, and sends to all at once, by one wire.
Seconds linear_cost(const Job& job) {
  const int others = job.ranks - 1;
  const LinkFigures& link = job.figures.shifts[0];
  return others * (link.time(job.bytes) + job.adding(job.bytes)) + link.time(others * job.bytes);
}

Seconds binomial_tree_cost(const Job& job) {
  Seconds cost = 0;
  for (const LinkFigures& shift : job.figures.shifts)
    cost += 2 * shift.time(job.bytes) + job.adding(job.bytes);
  return cost;
}

// Edges of the trees span all distances that are powers of two.
Seconds double_binary_tree_cost(const Job& job) {
  LinkFigures slowest;
  for (const LinkFigures& shift : job.figures.shifts) slowest = slowest.slower(shift);
  const double half = job.bytes / 2;
  const double segments =
      std::max(1.0, std::ceil(half / static_cast<double>(job.options.segment_bytes)));
  const auto elements = static_cast<std::size_t>(job.bytes) / size_of(DType::kFloat32);
  const auto schedule = all_reduce("double_binary_tree", job.options)(job.ranks, 0, elements);
  const double segment = half / segments;
  const int rounds = schedule->rounds();
  return rounds * slowest.time(segment) + rounds / 2 * job.adding(segment);
}

// The ranks of a smaller last node send the pieces of several, one after the other.
Seconds hierarchical_cost(const Job& job) {
  const int size = std::min(*job.options.node_size, job.ranks);
  const int nodes = (job.ranks + size - 1) / size;
  const int last = job.ranks - (nodes - 1) * size;
  const double pieces = (size + last - 1) / last;
  const double inside = job.bytes / size;
  const double across = pieces * inside / nodes;
  return 2 * (size - 1) * job.figures.inside.time(inside) + (size - 1) * job.adding(inside) +
         2 * (nodes - 1) * job.figures.across.time(across) + (nodes - 1) * job.adding(across);
}

using Cost = Seconds (*)(const Job&);

const std::map<std::string, Cost>& costs() {
  static const std::map<std::string, Cost> kCosts = {
      {"binomial_tree", binomial_tree_cost},
      {"double_binary_tree", double_binary_tree_cost},
      {"halving_doubling", halving_doubling_cost},
      {"hierarchical", hierarchical_cost},
      {"linear", linear_cost},
      {"recursive_doubling", recursive_doubling_cost},
      {"ring", ring_cost},
      {"segmented_ring", segmented_ring_cost},
  };
  return kCosts;
}

bool has_two_levels(int ranks, const AllReduceOptions& options) {
  return options.node_size && *options.node_size > 1 && *options.node_size < ranks;
}

Pattern pattern_of(int ranks, const auto& to) {
  Pattern pattern;
  for (int rank = 0; rank < ranks; ++rank) pattern.push_back(to(rank));
  return pattern;
}

int ranks_of_node(int node, int ranks, int node_size) {
  return std::min(node_size, ranks - node * node_size);
}

Pattern shift_pattern(int ranks, int distance) {
  return pattern_of(ranks, [&](int rank) { return (rank + distance) % ranks; });
}

Pattern inside_pattern(int ranks, int node_size) {
  return pattern_of(ranks, [&](int rank) {
    const int node = rank / node_size;
    return node * node_size + (rank % node_size + 1) % ranks_of_node(node, ranks, node_size);
  });
}

Pattern across_pattern(int ranks, int node_size) {
  const int nodes = (ranks + node_size - 1) / node_size;
  return pattern_of(ranks, [&](int rank) {
    const int next = (rank / node_size + 1) % nodes;
    return next * node_size + std::min(rank % node_size, ranks_of_node(next, ranks, node_size) - 1);
  });
}

}  // namespace

LinkFigures LinkFigures::slower(const LinkFigures& other) const {
  return {std::max(latency, other.latency), std::min(bandwidth, other.bandwidth)};
}

std::vector<Pattern> figure_patterns(int ranks, const AllReduceOptions& options) {
  std::vector<Pattern> patterns;
  for (int distance = 1; distance < ranks; distance *= 2) {
    patterns.push_back(shift_pattern(ranks, distance));
  }
  if (options.node_size) {
    patterns.push_back(inside_pattern(ranks, *options.node_size));
    patterns.push_back(across_pattern(ranks, *options.node_size));
  }
  return patterns;
}

NetworkFigures network_figures(std::vector<LinkFigures> by_pattern, const AllReduceOptions& options,
                               double adding_bandwidth) {
  NetworkFigures figures;
  figures.adding_bandwidth = adding_bandwidth;
  if (options.node_size) {
    figures.across = by_pattern.back();
    by_pattern.pop_back();
    figures.inside = by_pattern.back();
    by_pattern.pop_back();
  }
  figures.shifts = std::move(by_pattern);
  return figures;
}

Seconds all_reduce_cost(const std::string& name, int ranks, std::size_t bytes,
                        const AllReduceOptions& options, const NetworkFigures& figures) {
  if (ranks == 1) return 0;
  return costs().at(name)({ranks, static_cast<double>(bytes), options, figures});
}

CollectiveChoice choose_all_reduce(int ranks, std::size_t bytes, const AllReduceOptions& options,
                                   const NetworkFigures& figures) {
  if (ranks == 1) return {"ring", "one rank sends nothing"};
  struct Candidate {
    std::string name;
    Seconds cost;
  };
  std::vector<Candidate> candidates;
  for (const std::string& name : all_reduce_names()) {
    if (name == "hierarchical" && !has_two_levels(ranks, options)) continue;
    candidates.push_back({name, all_reduce_cost(name, ranks, bytes, options, figures)});
  }
  std::ranges::stable_sort(candidates, {}, &Candidate::cost);
  std::string others;
  for (const Candidate& candidate : candidates) {
    if (&candidate == &candidates.front()) continue;
    others += fmt::format("{}{} {:.4g} ms", others.empty() ? "" : ", ", candidate.name,
                          1e3 * candidate.cost);
  }
  return {candidates.front().name,
          fmt::format("{:.4g} ms predicted, against {}", 1e3 * candidates.front().cost, others)};
}

}  // namespace tandem
