#include <gmock/gmock.h>

#include "tests/core/scenario/files.h"

namespace tandem {
namespace {

struct Mistake {
  std::string name;
  std::string lines;  ///< added to a scenario of four lines that is right
  std::string error;
};

class ScenarioMistakes : public testing::TestWithParam<Mistake> {};

TEST_P(ScenarioMistakes, AreOneLineThatSaysWhereAndWhatWouldBeRight) {
  EXPECT_EQ(error_of(kRight + GetParam().lines), GetParam().error);
}

INSTANTIATE_TEST_SUITE_P(
    , ScenarioMistakes,
    testing::Values(
        Mistake{"unknown_key", "worker: 2\n",
                "FILE:5:1: unknown key 'worker'; did you mean 'workers'?"},
        Mistake{"unknown_key_inside", "optimizer:\n  name: sgd\n  momentun: 0.9\n",
                "FILE:7:3: unknown key 'momentun' in optimizer; did you mean 'momentum'?"},
        Mistake{"key_twice", "model: alexnet\n", "FILE:5:1: 'model' is given twice; keep one"},
        Mistake{"no_yaml", "algorithm: [ring\n",
                "FILE:6:1: this is no YAML: end of sequence flow not found"},
        Mistake{"zero_workers", "workers: 0\n",
                "FILE:5:10: workers is '0', but has to be a whole number of at least 1"},
        Mistake{"too_many_workers", "workers: 1000001\n",
                "FILE:5:10: workers is 1000001, but at most 1000000 are possible; give fewer"},
        Mistake{"too_many_servers", "algorithm: {name: parameter_server, servers: 100000000}\n",
                "FILE:5:46: algorithm.servers is 100000000, but at most 1000000 are possible; give "
                "fewer"},
        Mistake{"fraction_of_a_worker", "workers: 1.5\n",
                "FILE:5:10: workers is '1.5', but has to be a whole number of at least 1"},
        Mistake{"text_for_a_number", "workers: \"2\"\n",
                "FILE:5:10: workers is '2', but has to be a whole number of at least 1"},
        Mistake{"list_for_a_number", "workers: [1, 2]\n",
                "FILE:5:10: workers is a list, but has to be a whole number of at least 1"},
        Mistake{"negative_warmup", "warmup_iterations: -1\n",
                "FILE:5:20: warmup_iterations is '-1', but has to be a whole number of at least 0"},
        Mistake{"seed_too_large", "seed: 18446744073709551616\n",
                "FILE:5:7: seed is '18446744073709551616', but has to be a whole number of at "
                "least 0 and at most 18446744073709551615"},
        Mistake{"seed_below_zero", "seed: -1\n",
                "FILE:5:7: seed is '-1', but has to be a whole number of at least 0"},
        Mistake{"both_lengths", "epochs: 2\n", "FILE:5:9: give iterations or epochs, not both"},
        Mistake{
            "unknown_algorithm", "algorithm: rign\n",
            "FILE:5:12: there is no algorithm 'rign'; did you mean 'ring'? Known: none, "
            "all_reduce, parameter_server, elastic_averaging, pairwise_averaging, ad_psgd, sgp, "
            "local_sgd, zero, pipeline, binomial_tree, "
            "double_binary_tree, halving_doubling, hierarchical, linear, recursive_doubling, "
            "ring, segmented_ring"},
        Mistake{"platform_without_topology", "platform: {bandwidth: 1 Gbit/s}\n",
                "FILE:5:11: platform.topology is missing; give one of star, cluster, fat_tree, "
                "torus, dragonfly, gpu_nodes, rail_pod, or a platform's name or file instead of "
                "the map"},
        Mistake{"unknown_topology", "platform: {topology: stra}\n",
                "FILE:5:22: there is no topology 'stra'; did you mean 'star'? Known: star, "
                "cluster, fat_tree, torus, dragonfly, gpu_nodes, rail_pod"},
        Mistake{"topology_without_bandwidth", "platform: {topology: star, latency: 5 us}\n",
                "FILE:5:11: platform.bandwidth is missing; give one, such as 'bandwidth: 10 "
                "Gbit/s'"},
        Mistake{"bandwidth_without_unit",
                "platform: {topology: star, bandwidth: 10, latency: 5 us}\n",
                "FILE:5:39: platform.bandwidth is '10', but has to be a bandwidth above 0 with "
                "its unit, such as 10 Gbit/s"},
        Mistake{"bandwidth_beyond_all",
                "platform: {topology: star, bandwidth: 1e300 Gbit/s, latency: 5 us}\n",
                "FILE:5:39: platform.bandwidth is '1e300 Gbit/s', but has to be 1e+30 B/s at most"},
        Mistake{"latency_beyond_all",
                "platform: {topology: star, bandwidth: 1 Gbit/s, latency: inf}\n",
                "FILE:5:58: platform.latency is 'inf', but has to be 1e+30 s at most"},
        Mistake{"key_of_another_topology",
                "platform: {topology: torus, bandwidth: 1 GB/s, latency: 0, dimensions: [4, 4], "
                "gpus: 4}\n",
                "FILE:5:80: unknown key 'gpus' in platform; known: topology, bandwidth, latency, "
                "device, speed, dimensions"},
        Mistake{
            "no_counts",
            "platform: {topology: torus, bandwidth: 1 GB/s, latency: 0, dimensions: []}\n",
            "FILE:5:72: platform.dimensions is an empty list, but has to be a list, such as [4, "
            "4, 4]"},
        Mistake{"dimensions_of_one",
                "platform: {topology: torus, bandwidth: 1 GB/s, latency: 0, dimensions: [1, 1]}\n",
                "FILE:5:11: platform.dimensions has several of 1, which join no hosts; leave them "
                "out"},
        Mistake{"counts_that_are_no_list",
                "platform: {topology: torus, bandwidth: 1 GB/s, latency: 0, dimensions: 16}\n",
                "FILE:5:72: platform.dimensions is '16', but has to be a list, such as [4, 4, 4]"},
        Mistake{"levels_that_differ",
                "platform: {topology: fat_tree, bandwidth: 1 GB/s, latency: 0, children: [4, 4], "
                "parents: [1]}\n",
                "FILE:5:11: platform.parents has 1 levels, but platform.children has 2; give as "
                "many"},
        Mistake{"too_many_groups",
                "platform: {topology: dragonfly, bandwidth: 1 GB/s, latency: 0, groups: 5, "
                "routers: 4, chassis: 2}\n",
                "FILE:5:11: platform.groups is 5, but a chassis has 4 routers, each with the links "
                "to one other group; give at most 4 groups"},
        Mistake{"too_many_hosts",
                "platform: {topology: torus, bandwidth: 1 GB/s, latency: 0, dimensions: [100000, "
                "100000]}\n",
                "FILE:5:11: platform has more than 1000000 hosts, but at most so many are "
                "possible; give fewer"},
        Mistake{"unknown_collective", "algorithm: {name: all_reduce, collective: aut}\n",
                "FILE:5:43: there is no collective 'aut'; did you mean 'auto'? Known: "
                "binomial_tree, double_binary_tree, halving_doubling, hierarchical, linear, "
                "recursive_doubling, ring, segmented_ring, auto"},
        Mistake{"nodes_of_no_rank", "algorithm: {name: hierarchical, node_size: 0}\n",
                "FILE:5:44: algorithm.node_size is '0', but has to be a whole number of at least "
                "1"},
        Mistake{"segment_without_unit", "algorithm: {name: segmented_ring, segment: 256}\n",
                "FILE:5:44: algorithm.segment is '256', but has to be an amount above 0 with its "
                "unit, such as 25 MB"},
        Mistake{
            "segment_of_a_ring", "algorithm: {name: ring, segment: 1 MB}\n",
            "FILE:5:34: algorithm.segment has no meaning with collective ring, so leave it out"},
        Mistake{"nodes_of_a_ring", "algorithm: {name: local_sgd, node_size: 2}\n",
                "FILE:5:41: algorithm.node_size has no meaning with collective ring, so leave it "
                "out"},
        Mistake{"collective_of_pairs",
                "algorithm: {name: pairwise_averaging, passes: 2, collective: halving_doubling}\n",
                "FILE:5:62: algorithm.collective has no meaning unless passes is all, so leave it "
                "out"},
        Mistake{"prefetch_of_whole_parameters", "algorithm: {name: zero, stage: 2, prefetch: 2}\n",
                "FILE:5:45: algorithm.prefetch has no meaning in stage 2, so leave it out"},
        Mistake{"bucket_without_unit", "algorithm: {name: ring, bucket: 25}\n",
                "FILE:5:33: algorithm.bucket is '25', but has to be an amount above 0 with its "
                "unit, such as 25 MB"},
        Mistake{"overlap_maybe", "algorithm: {name: ring, overlap: maybe}\n",
                "FILE:5:34: algorithm.overlap is 'maybe', but has to be true or false"},
        Mistake{"collective_of_a_server", "algorithm: {name: parameter_server, collective: ring}\n",
                "FILE:5:49: algorithm.collective belongs to all_reduce, pairwise_averaging, "
                "local_sgd; 'parameter_server' has none, so leave it out"},
        Mistake{"no_averaging_passes", "algorithm: {name: pairwise_averaging, passes: 0}\n",
                "FILE:5:47: algorithm.passes is '0', but has to be a whole number of at least 1, "
                "or all"},
        Mistake{"most_passes", "algorithm: {name: pairwise_averaging, passes: most}\n",
                "FILE:5:47: algorithm.passes is 'most', but has to be a whole number of at least "
                "1, or all"},
        Mistake{"passes_of_gossip", "algorithm: {name: sgp, passes: 2}\n",
                "FILE:5:32: algorithm.passes belongs to pairwise_averaging; 'sgp' has none, so "
                "leave it out"},
        Mistake{"no_local_steps", "algorithm: {name: local_sgd, local_steps: 0}\n",
                "FILE:5:43: algorithm.local_steps is '0', but has to be a whole number of at least "
                "1"},
        Mistake{"outer_without_a_map", "algorithm: {name: local_sgd, outer: nesterov}\n",
                "FILE:5:37: algorithm.outer is 'nesterov', but has to be a map with keys such as "
                "learning_rate"},
        Mistake{"outer_momentum", "algorithm: {name: local_sgd, outer: {momentum: 1}}\n",
                "FILE:5:48: algorithm.outer.momentum is '1', but has to be a number of at least 0 "
                "and below 1"},
        Mistake{"never_evaluated", "evaluate_every: 0\n",
                "FILE:5:17: evaluate_every is '0', but has to be a whole number of at least 1"},
        Mistake{"checkpoint_without_every", "checkpoint: {keep: 3}\n",
                "FILE:5:13: checkpoint.every is missing; give one, such as 'every: 100'"},
        Mistake{"checkpoint_keeps_none", "checkpoint: {every: 5, keep: 0}\n",
                "FILE:5:30: checkpoint.keep is '0', but has to be a whole number of at least 1"},
        Mistake{"stage_of_no_algorithm", "algorithm: {stage: 2}\n",
                "FILE:5:20: algorithm.stage belongs to zero, but without a name it is ring; give "
                "one, such as 'name: zero'"},
        Mistake{"zero_stage", "algorithm: {name: zero, stage: 4}\n",
                "FILE:5:32: there is no ZeRO stage '4'. Known: 0, 1, 2, 3"},
        Mistake{
            "zero_prefetch", "algorithm: {name: zero, stage: 3, prefetch: -1}\n",
            "FILE:5:45: algorithm.prefetch is '-1', but has to be a whole number of at least 0"},
        Mistake{
            "stage_of_a_ring", "algorithm: {name: ring, stage: 1}\n",
            "FILE:5:32: algorithm.stage belongs to zero; 'all_reduce' has none, so leave it out"},
        Mistake{"stages_of_no_worker", "workers: 6\nalgorithm: {name: pipeline, stages: 4}\n",
                "FILE:6:37: algorithm.stages is 4, but workers is 6, which is not a multiple of "
                "it; a pipeline takes a worker a stage, so give workers: 8"},
        Mistake{"no_stages", "algorithm: {name: pipeline, stages: 0}\n",
                "FILE:5:37: algorithm.stages is '0', but has to be a whole number of at least 1"},
        Mistake{"uneven_micro_batches",
                "workers: 2\nalgorithm: {name: pipeline, micro_batches: 5}\n",
                "FILE:6:44: algorithm.micro_batches is 5, but has to divide a pipeline's 64 "
                "samples of an iteration, batch_size times stages"},
        Mistake{"samples_of_a_pipeline",
                "workers: 1000000\nalgorithm: pipeline\nsweep: {batch_size: [3200]}\n",
                "FILE:6:12: a pipeline takes batch_size times stages, 3200000000, samples an "
                "iteration, but at most 2147483647 are possible; lower batch_size"},
        Mistake{"pipeline_schedule", "algorithm: {name: pipeline, schedule: 1f2b}\n",
                "FILE:5:39: there is no pipeline schedule '1f2b'; did you mean '1f1b'? Known: "
                "gpipe, 1f1b"},
        Mistake{"stages_of_a_ring", "algorithm: {name: ring, stages: 2}\n",
                "FILE:5:33: algorithm.stages belongs to pipeline; 'all_reduce' has none, so leave "
                "it out"},
        Mistake{"passes_of_a_pipeline", "algorithm: pipeline\nbackward_passes_per_step: 2\n",
                "FILE:6:27: backward_passes_per_step is not possible with algorithm pipeline, "
                "whose micro-batches are what it makes of an iteration; leave it out, and raise "
                "batch_size and algorithm.micro_batches"},
        Mistake{"precision_of_a_pipeline", "algorithm: pipeline\nprecision: fp16\n",
                "FILE:6:12: precision is not possible with algorithm pipeline; leave it out, or "
                "take one of none, all_reduce, zero"},
        Mistake{"lonely_algorithm", "workers: 3\nalgorithm: none\n",
                "FILE:5:10: workers is 3, but algorithm none is one worker alone; give workers: 1, "
                "or another algorithm, such as ring"},
        Mistake{"unknown_mode", "algorithm: {name: parameter_server, mode: asynchron}\n",
                "FILE:5:43: there is no mode 'asynchron'; did you mean 'asynchronous'? Known: "
                "synchronous, asynchronous, stale_synchronous"},
        Mistake{"no_server", "algorithm: {name: parameter_server, servers: 0}\n",
                "FILE:5:46: algorithm.servers is '0', but has to be a whole number of at least 1"},
        Mistake{"placement", "algorithm: {name: parameter_server, placement: worker}\n",
                "FILE:5:48: there is no placement 'worker'; did you mean 'workers'? Known: "
                "dedicated, workers"},
        Mistake{"staleness_of_a_synchronous_server",
                "algorithm: {name: parameter_server, staleness: 2}\n",
                "FILE:5:48: algorithm.staleness has no meaning in mode synchronous, so leave it "
                "out"},
        Mistake{"negative_staleness",
                "algorithm: {name: parameter_server, mode: stale_synchronous, staleness: -1}\n",
                "FILE:5:73: algorithm.staleness is '-1', but has to be a whole number of at least "
                "0"},
        Mistake{"backup_of_an_asynchronous_server",
                "algorithm: {name: parameter_server, mode: asynchronous, backup_workers: 1}\n",
                "FILE:5:73: algorithm.backup_workers has no meaning in mode asynchronous, so leave "
                "it out"},
        Mistake{
            "only_backup_workers",
            "workers: 2\nalgorithm: {name: parameter_server, backup_workers: 2}\n",
            "FILE:6:12: algorithm.backup_workers is 2, but has to be below workers, which is 2: "
            "at least one gradient is needed"},
        Mistake{"push_every", "algorithm: {name: parameter_server, push_every: 2}\n",
                "FILE:5:49: algorithm.push_every has no meaning in mode synchronous, so leave it "
                "out"},
        Mistake{"pull_every",
                "algorithm: {name: parameter_server, mode: asynchronous, pull_every: 0}\n",
                "FILE:5:69: algorithm.pull_every is '0', but has to be a whole number of at least "
                "1"},
        Mistake{"priority", "algorithm: {name: parameter_server, priority: high}\n",
                "FILE:5:47: algorithm.priority is 'high', but has to be true or false"},
        Mistake{
            "early_pull",
            "algorithm: {name: parameter_server, mode: asynchronous, push_every: 2, early_pull: "
            "true}\n",
            "FILE:5:84: algorithm.early_pull has no meaning unless every iteration pushes and "
            "pulls, so leave it out"},
        Mistake{"pull_overlap",
                "algorithm: {name: parameter_server, overlap: false, pull_overlap: true}\n",
                "FILE:5:67: algorithm.pull_overlap has no meaning without overlap, so leave it "
                "out"},
        Mistake{"local_steps", "algorithm: {name: elastic_averaging, local_steps: 0}\n",
                "FILE:5:51: algorithm.local_steps is '0', but has to be a whole number of at least "
                "1"},
        Mistake{"elasticity", "algorithm: {name: elastic_averaging, elasticity: 1}\n",
                "FILE:5:50: algorithm.elasticity is '1', but has to be a number of at least 0 and "
                "below 1"},
        Mistake{"timeout_without_unit", "timeout: 300\n",
                "FILE:5:10: timeout is '300', but has to be a time above 0 with its unit, such as "
                "5 min"},
        Mistake{"learning_rate", "optimizer: {learning_rate: 0}\n",
                "FILE:5:28: optimizer.learning_rate is '0', but has to be a number above 0"},
        Mistake{"unknown_optimizer", "optimizer: adma\n",
                "FILE:5:12: there is no optimizer 'adma'; did you mean 'adam'? Known: sgd, adam, "
                "adamw, lamb"},
        Mistake{"momentum_of_adam", "optimizer: {name: adam, momentum: 0.9}\n",
                "FILE:5:35: optimizer.momentum belongs to sgd; 'adam' has none, so leave it out"},
        Mistake{"beta_of_sgd", "optimizer: {beta1: 0.9}\n",
                "FILE:5:20: optimizer.beta1 belongs to adam, adamw and lamb; 'sgd' has none, so "
                "leave it out"},
        Mistake{"nesterov_alone", "optimizer: {nesterov: true}\n",
                "FILE:5:23: optimizer.nesterov is true, but there is no momentum; add one, such as "
                "'momentum: 0.9'"},
        Mistake{"unknown_schedule", "learning_rate_schedule: cosin\n",
                "FILE:5:25: there is no learning rate schedule 'cosin'; did you mean 'cosine'? "
                "Known: constant, step, cosine"},
        Mistake{"endless_step", "learning_rate_schedule: step\n",
                "FILE:5:25: learning_rate_schedule.every is missing; give one, such as '{name: "
                "step, every: 100}'"},
        Mistake{"minimum_of_step", "learning_rate_schedule: {name: step, minimum: 0.1}\n",
                "FILE:5:47: learning_rate_schedule.minimum belongs to cosine; 'step' has none, so "
                "leave it out"},
        Mistake{"steps_of_warmup_alone",
                "learning_rate_schedule: {name: cosine, warmup_steps: 9, steps: 9}\n",
                "FILE:5:64: learning_rate_schedule.steps is 9, but has to be above warmup_steps, "
                "which is 9 and among them"},
        Mistake{"no_passes", "backward_passes_per_step: 0\n",
                "FILE:5:27: backward_passes_per_step is '0', but has to be a whole number of at "
                "least 1"},
        Mistake{"clip_norm", "clip_norm: -1\n",
                "FILE:5:12: clip_norm is '-1', but has to be a number above 0"},
        Mistake{"clip_at_a_server", "clip_norm: 1\nalgorithm: parameter_server\n",
                "FILE:5:12: clip_norm is not possible with algorithm parameter_server; leave it "
                "out, or take one of none, all_reduce, pairwise_averaging, ad_psgd, sgp, "
                "local_sgd, zero, pipeline"},
        Mistake{"lamb_at_a_server", "optimizer: lamb\nalgorithm: parameter_server\n",
                "FILE:5:12: lamb is not possible with algorithm parameter_server; leave it out, or "
                "take one of none, all_reduce, pairwise_averaging, ad_psgd, sgp, local_sgd, zero, "
                "pipeline"},
        Mistake{"precision", "precision: fp61\n",
                "FILE:5:12: there is no precision 'fp61'; did you mean 'fp16'? Known: fp32, tf32, "
                "fp16, bf16"},
        Mistake{"precision_at_a_server", "precision: bf16\nalgorithm: parameter_server\n",
                "FILE:5:12: precision is not possible with algorithm parameter_server; leave it "
                "out, or take one of none, all_reduce, zero"},
        Mistake{"batch_norm_at_a_server",
                "synchronize_batch_norm: true\nalgorithm: parameter_server\n",
                "FILE:5:25: synchronize_batch_norm is not possible with algorithm "
                "parameter_server; leave it out, or take one of none, all_reduce, zero"},
        Mistake{"loss_scale_of_bf16", "precision: {name: bf16, loss_scale: {initial: 2}}\n",
                "FILE:5:37: precision.loss_scale belongs to fp16; 'bf16' has none, so leave it "
                "out"},
        Mistake{"loss_scale", "precision: {name: fp16, loss_scale: {window: 0}}\n",
                "FILE:5:46: precision.loss_scale.window is '0', but has to be a whole number of "
                "at least 1"},
        Mistake{"loss_scale_beyond_float32",
                "precision: {name: fp16, loss_scale: {initial: 1e39}}\n",
                "FILE:5:47: precision.loss_scale.initial is '1e39', but has to be a number from "
                "1e-37 to 3e+38"},
        Mistake{"least_loss_scale_beyond_float32",
                "precision: {name: fp16, loss_scale: {minimum: 1e-50}}\n",
                "FILE:5:47: precision.loss_scale.minimum is '1e-50', but has to be a number from "
                "1e-37 to 3e+38"},
        Mistake{"loss_scale_below_its_minimum",
                "precision: {name: fp16, loss_scale: {initial: 2, minimum: 4}}\n",
                "FILE:5:59: precision.loss_scale.minimum is 4, but has to be at most "
                "precision.loss_scale.initial, which is 2"},
        Mistake{"loss_scale_below_the_least",
                "precision: {name: fp16, loss_scale: {initial: 0.5}}\n",
                "FILE:5:47: precision.loss_scale.minimum is 1, but has to be at most "
                "precision.loss_scale.initial, which is 0.5"},
        Mistake{"compression", "algorithm: {name: ring, compression: topk}\n",
                "FILE:5:38: there is no compression 'topk'; did you mean 'top_k'? Known: none, "
                "fp16, bf16, top_k, power_sgd"},
        Mistake{"ratio", "algorithm: {name: ring, compression: {name: top_k, ratio: 2}}\n",
                "FILE:5:59: algorithm.compression.ratio is 2, but has to be a share of at most 1"},
        Mistake{"rank_of_top_k", "algorithm: {name: ring, compression: {name: top_k, rank: 2}}\n",
                "FILE:5:58: algorithm.compression.rank belongs to power_sgd; 'top_k' has none, so "
                "leave it out"},
        Mistake{"compressed_twice", "precision: bf16\nalgorithm: {name: ring, compression: fp16}\n",
                "FILE:5:12: precision is bf16, but algorithm.compression compresses fp32 "
                "gradients; leave one of the two out"},
        Mistake{"depth", "simulation: {depth: size}\n",
                "FILE:5:21: there is no simulation depth 'size'; did you mean 'sizes'? Known: "
                "sizes, payload"},
        Mistake{"no_bandwidth", "simulation: {bandwidth_factor: 1e-320}\n",
                "FILE:5:32: simulation.bandwidth_factor is '1e-320', but has to be a number from "
                "1e-09 to 1000000000"},
        Mistake{"endless_latency", "simulation: {latency_factor: 1e300}\n",
                "FILE:5:30: simulation.latency_factor is '1e300', but has to be a number from "
                "1e-09 to 1000000000"},
        Mistake{"no_computing", "simulation: {compute_factor: 0}\n",
                "FILE:5:30: simulation.compute_factor is '0', but has to be a number from 1e-09 "
                "to 1000000000"},
        Mistake{"name_with_slash", "name: a/b\n",
                "FILE:5:7: name is 'a/b', but has to be one without '/' and line ends: it names a "
                "folder"},
        Mistake{"name_of_a_parent", "name: ..\n",
                "FILE:5:7: name is '..', but has to be one without '/' and line ends: it names a "
                "folder"},
        Mistake{"huge_batch", "seed: 1\nwarmup_iterations: 9000000000000\n",
                "FILE:6:20: warmup_iterations is '9000000000000', but has to be a whole number of "
                "at least 0 and at most 1e9"},
        Mistake{
            "more_than_can_be_recorded", "warmup_iterations: 10000001\n",
            "FILE:5:20: warmup_iterations is 10000001, but at most 10000000 are possible, since "
            "each is recorded; give fewer"},
        Mistake{"second_document", "---\nname: other\n",
                "FILE:5:1: a second document begins; write one scenario a file"},
        Mistake{"latin_1", "name: caf\xe9\n", "FILE:5:1: this line is not UTF-8 text"},
        Mistake{"swept_sweep", "sweep:\n  sweep: [1]\n",
                "FILE:6:3: sweep.sweep is no key that a sweep can set"},
        Mistake{"repeated_value", "sweep:\n  workers: [1, 2, 1]\n",
                "FILE:6:19: sweep.workers has '1' twice; keep one"},
        Mistake{"sweep_of_a_number", "sweep: {workers: 2}\n",
                "FILE:5:18: sweep.workers is '2', but has to be a list, such as [1, 2]"},
        Mistake{"empty_axis", "sweep: {workers: []}\n",
                "FILE:5:18: sweep.workers is an empty list, but has to be a list, such as [1, 2]"},
        Mistake{"sweep_of_nothing", "sweep:\n",
                "FILE:5:1: sweep is nothing, but has to be a map of lists, such as 'workers: [1, "
                "2]', or a list of points"},
        Mistake{"point_without_keys", "sweep: [{workers: 2}, 3]\n",
                "FILE:5:23: a point of the sweep is '3', but has to be a map of keys to values, "
                "such as '{workers: 2}'"},
        Mistake{"key_of_a_point", "sweep: [{workers: 2}, {wokers: 3}]\n",
                "FILE:5:24: unknown key 'wokers'; did you mean 'workers'?"},
        Mistake{"swept_value", "sweep:\n  workers: [1, -2]\n",
                "FILE:6:16: workers is '-2', but has to be a whole number of at least 1"},
        Mistake{"swept_key", "sweep:\n  wokers: [1, 2]\n",
                "FILE:6:3: unknown key 'wokers'; did you mean 'workers'?"}),
    [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace tandem
