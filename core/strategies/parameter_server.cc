#include "core/strategies/parameter_server.h"

#include <optional>

#include "core/collectives/execution.h"
#include "core/record/recorder.h"

namespace tandem {
namespace {

// A bucket's weights and gradients travel under tags of their own.
Tag pull_tag(std::size_t bucket) {
  return static_cast<Tag>(2 * bucket);
}
Tag push_tag(std::size_t bucket) {
  return static_cast<Tag>(2 * bucket + 1);
}

View slice(const Buffer& arena, const Bucket& bucket) {
  return arena.view().slice(bucket.offset, bucket.elements);
}

/// What the server holds of one iteration: every worker's gradients of every bucket. Worker 0's
/// land in the replica's gradient arena, where the others' are added to them.
class Server {
 public:
  explicit Server(Replica& replica)
      : replica_(replica),
        buckets_(gradient_buckets(replica.graph, replica.scenario.algorithm.bucket_bytes)),
        workers_(replica.scenario.workers) {
    for (int worker = 1; worker < workers_; ++worker) {
      others_.push_back(
          replica.worker.allocate(replica.graph.parameter_elements(), DType::kFloat32));
    }
  }

  /// Answers every worker's pull, the front layers first, which the forward pass needs first.
  void send_weights() {
    std::vector<Handle> sends;
    for (std::size_t i = buckets_.size(); i-- > 0;) {
      for (int worker = 0; worker < workers_; ++worker) {
        sends.push_back(
            replica_.worker.send(worker, pull_tag(i), slice(replica_.parameters, buckets_[i])));
      }
    }
    wait_all(replica_.worker, sends);
  }

  void receive_and_update() {
    replica_.begin_step();
    std::vector<std::vector<Handle>> receives(buckets_.size());
    for (std::size_t i = 0; i < buckets_.size(); ++i) {
      for (int worker = 0; worker < workers_; ++worker) {
        receives[i].push_back(
            replica_.worker.receive(worker, push_tag(i), slice(arena(worker), buckets_[i])));
      }
    }
    for (std::size_t i = 0; i < buckets_.size(); ++i) {
      wait_all(replica_.worker, receives[i]);
      average_and_update(buckets_[i]);
    }
  }

 private:
  const Buffer& arena(int worker) const {
    return worker == 0 ? replica_.gradients : others_[worker - 1];
  }

  void average_and_update(const Bucket& bucket) {
    for (int worker = 1; worker < workers_; ++worker) {
      const View sum = slice(replica_.gradients, bucket);
      const View addend = slice(arena(worker), bucket);
      Handle added = replica_.worker.compute({.phase = Phase::kReduce,
                                              .name = "add gradients",
                                              .flops = static_cast<double>(bucket.elements),
                                              .bytes = 3.0 * static_cast<double>(sum.bytes()),
                                              .body = [=] { add(sum, addend); }});
      replica_.worker.wait(added);
    }
    replica_.update(bucket.offset, bucket.elements, 1.0F / static_cast<float>(workers_));
  }

  Replica& replica_;
  std::vector<Bucket> buckets_;
  int workers_;
  std::vector<Buffer> others_;  ///< gradients of workers 1, 2, ...
};

}  // namespace

ParameterServerWorker::ParameterServerWorker(Replica& replica)
    : replica_(replica),
      server_(replica.scenario.workers),
      buckets_(gradient_buckets(replica.graph, replica.scenario.algorithm.bucket_bytes)) {}

void ParameterServerWorker::pull() {
  std::vector<Handle> pulls;
  for (std::size_t i = buckets_.size(); i-- > 0;) {
    pulls.push_back(
        replica_.worker.receive(server_, pull_tag(i), slice(replica_.parameters, buckets_[i])));
  }
  wait_all(replica_.worker, pulls);
}

void ParameterServerWorker::push_next() {
  const std::size_t i = pushes_.size();
  pushes_.push_back(
      replica_.worker.send(server_, push_tag(i), slice(replica_.gradients, buckets_[i])));
}

void ParameterServerWorker::gradient_ready(int layer) {
  if (!replica_.scenario.algorithm.overlap) return;
  while (pushes_.size() < buckets_.size() && buckets_[pushes_.size()].last_layer >= layer) {
    push_next();
  }
}

void ParameterServerWorker::end_iteration() {
  while (pushes_.size() < buckets_.size()) push_next();
  wait_all(replica_.worker, pushes_);
  pushes_.clear();
}

void serve_parameters(Replica& replica, int iterations) {
  Server server(replica);
  Recorder& recorder = replica.worker.record();
  for (int i = 0; i < iterations; ++i) {
    recorder.begin_iteration(replica.worker.now());
    server.send_weights();
    server.receive_and_update();
    recorder.end_iteration(replica.worker.now(), std::nullopt);
  }
  server.send_weights();
}

}  // namespace tandem
