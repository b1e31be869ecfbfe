#pragma once

#include "core/strategies/weight_average.h"

namespace tandem {

/// Asynchronous decentralised parallel SGD (Lian et al., "Asynchronous decentralized parallel
/// stochastic gradient descent", ICML 2018, Algorithm 1): in every iteration a worker computes a
/// gradient while its weights are averaged with a random neighbour's, and then steps. The graph is
/// bipartite, as the paper has it against deadlock: even ranks are active and ask one passive
/// neighbour an iteration, odd ranks are passive and only answer, between any two kernels; so
/// nobody who is waited for waits himself. Any number of workers will do. Neighbours come from
/// streams of the scenario's seed that every worker can run, which tells a passive one how often it
/// will be asked: no message is left over at the end of a leg. After the last iteration all workers
/// take the mean of their weights, the paper's output. Staleness of an update: by how many
/// averagings the model has moved on since the weights that its gradient was computed at.
/// Invariant: averaging leaves the sum of all workers' weights as it was.
std::unique_ptr<Strategy> make_ad_psgd(Replica& replica);

}  // namespace tandem
