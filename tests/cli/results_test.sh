#!/usr/bin/env bash
# What a result folder holds, from both worlds.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
scenario small.yaml
summary=scenario,world,platform,device,model,dataset,algorithm,workers,batch_size,iterations,iteration_s,compute_s
summary+=,exposed_communication_s,all_reduce_bound_s,images_per_s,speedup,efficiency,sent_bytes_per_worker,received_bytes_per_worker
summary+=,server_sent_bytes,server_received_bytes,packets_sent,packets_received,peak_memory_bytes,loss,accuracy
summary+=,final_weights_hash,variant,repeats,iteration_s_low,iteration_s_high,images_per_s_low,images_per_s_high,speedup_low
summary+=,speedup_high,total_s,lost_s,skipped_steps
iterations=point,algorithm,model,batch_size,workers,variant,iteration,warmup,iteration_s,compute_s,exposed_communication_s,loss,input_s

# equal WHAT EXPECTED: the words of standard input are EXPECTED.
equal() {
  local found
  found=$(xargs)
  [[ $found == "$2" ]] || fail "$1: '$found', not '$2'"
}

# result FOLDER WORLD: of one point of two workers, three timed iterations and one before.
result() {
  is_result "$1" 1
  head -1 "$1/summary.csv" | equal "the columns of $1/summary.csv" "$summary"
  head -1 "$1/iterations.csv" | equal "the columns of $1/iterations.csv" "$iterations"
  column "$1/summary.csv" world | equal world "$2"
  column "$1/summary.csv" iterations | equal iterations 3
  column "$1/summary.csv" speedup | equal "speedup without a baseline" ""
  column "$1/iterations.csv" iteration | equal "iterations.csv" "0 1 2 3"
  column "$1/iterations.csv" warmup | equal "iterations.csv" "1 0 0 0"
  grep -q '"traceEvents"' "$1/trace.json" || fail "$1/trace.json is no trace"
  grep -q '"scenario_file": "small.yaml"' "$1/run.json" || fail "$1/run.json names no scenario file"
}

# sweep FOLDER: two and three workers, and one for the speed-ups.
sweep() {
  is_result "$1" 3
  column "$1/summary.csv" algorithm | equal "algorithms" "none ring ring"
  column "$1/summary.csv" workers | equal "workers" "1 2 3"
  column "$1/summary.csv" speedup | grep -c '[0-9]' | equal "rows that have a speed-up" 3
  column "$1/summary.csv" speedup | sed -n 1p | equal "the baseline's speed-up" 1
}

# skips WORLD: steps that loss scaling skips are counted, and warned of where they are most.
skips() {
  run tandem "$1" small.yaml --out skipped --set simulation.depth=payload --set precision='{name: fp16, loss_scale: {initial: 1e30, minimum: 1e30}}'
  [[ $code -eq 0 && $(<"$scratch/stderr") == "tandem: warning: mnist_cnn, ring, "*", 2 workers: 4 of 4 steps were skipped, since their gradients overflowed in fp16; "* ]] ||
    fail "does not warn of steps that were skipped"
  column skipped/summary.csv skipped_steps | equal "skipped steps" 4
}

two_sizes=(--set sweep.workers='[2, 3]')
if built tandem-simulate; then
  succeeds tandem simulate small.yaml
  result results/small simulated
  grep -q '"network/model": "CM02"' results/small/run.json || fail "run.json lacks the simulator's settings"
  succeeds tandem simulate small.yaml --out sweep "${two_sizes[@]}"
  sweep sweep
  succeeds tandem simulate small.yaml --out sweep
  is_result sweep 1
fi
if built tandem-run; then
  succeeds tandem run small.yaml --out run -n 2
  result run real
  grep -q "^\$ mpirun .*tandem-run " "$scratch/stdout" || fail "the command that was run is not shown"
  column run/summary.csv packets_sent | equal "packets, which nothing counted" ""
  succeeds tandem run small.yaml --out sweep "${two_sizes[@]}"
  sweep sweep
fi

# What overlaps has tracks of its own.
tracks=$(dirname "$0")/tracks.py
if built tandem-simulate; then
  for mode in synchronous asynchronous; do
    succeeds tandem simulate small.yaml --out tracks --set workers=3 --set trace.rounds=true \
      --set "algorithm={name: parameter_server, mode: $mode, servers: 2, bucket: 256 KB}"
    succeeds python3 "$tracks" tracks/trace.json
  done
  succeeds tandem simulate small.yaml --out tracks --set trace.rounds=true --set simulation.executor=exact
  succeeds python3 "$tracks" tracks/trace.json
fi
if built tandem-run; then
  succeeds tandem run small.yaml --out tracks --set algorithm=parameter_server
  succeeds python3 "$tracks" tracks/trace.json
fi
if built tandem-simulate && built tandem-run; then
  succeeds tandem compare small.yaml --out both --set algorithm=parameter_server
  succeeds python3 "$tracks" both/predicted/trace.json both/measured/trace.json
fi

# One of every three timed iterations, to the last.
sampled=(--set iterations=8 --set trace='{iterations: all, every: 3}')
is_sampled() {
  grep -o '"iteration":[0-9]*' "$1/trace.json" | sort -u | equal "the iterations of $1/trace.json" \
    "iteration:1 iteration:4 iteration:7"
}
if built tandem-simulate; then
  succeeds tandem simulate small.yaml --out sampled "${sampled[@]}"
  is_sampled sampled
  succeeds tandem explain sampled
fi
if built tandem-run; then
  succeeds tandem run small.yaml --out sampled_run "${sampled[@]}"
  is_sampled sampled_run
  refuses 2 "the trace shows one of every 3 iterations, but explain needs *" tandem explain sampled_run
  skips run
  ! built tandem-simulate || skips simulate
fi
refuses 2 "*trace.every*" tandem check small.yaml --set trace.every=0
