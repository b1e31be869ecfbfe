#!/usr/bin/env bash
# A paced device waits for a profile's times where others compute: what is sent stays, and results say what they are.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
scenario small.yaml
cat >six.xml <<'END'
<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <cluster id="six" prefix="node-" suffix="" radical="0-5" speed="1Gf" bw="10GBps" lat="1us" sharing_policy="SPLITDUPLEX"/>
</platform>
END
# Times that can be told from what messages take.
mkdir devices
printf 'name: slow\npeak_flops_per_s: 1e15\nmemory_bandwidth_bytes_per_s: 1e15\nkernel_overhead_s: 2e-3\n' >devices/slow.yaml

succeeds tandem run small.yaml --set platform=six.xml --device paced:slow --out out
is_result out 1
[[ $(column out/summary.csv device) == paced:slow ]] || fail "the device is called $(column out/summary.csv device)"
for empty in loss accuracy final_weights_hash peak_memory_bytes; do
  [[ -z $(column out/summary.csv $empty) ]] || fail "$empty is $(column out/summary.csv $empty), but nothing was computed"
done
grep -q '"slow": "name: slow' out/run.json || fail "run.json has no profile"
refuses 2 "*: device: no slowest.yaml in *" tandem run small.yaml --device paced:slowest --out more

# quantity NAME: what compare predicted and measured of it.
quantity() { grep -oP "(^|,)$1,\K[^,]*,[^,]*" compared/comparison.csv | tr , ' '; }

# The worlds charge the same times and send the same bytes, whatever the algorithm. A wait can only be too long.
for algorithm in ring halving_doubling '{name: all_reduce, compression: top_k}' '{name: parameter_server, servers: 2}' \
  '{name: parameter_server, mode: asynchronous}' '{name: pairwise_averaging, passes: 1}' '{name: zero, stage: 1}' \
  '{name: zero, stage: 3}' '{name: pipeline, stages: 2}' '{name: local_sgd, local_steps: 2}' sgp; do
  succeeds tandem compare small.yaml --platform six.xml --device paced:slow --set algorithm="$algorithm" --out compared
  read -r predicted measured < <(quantity sent_bytes_per_worker)
  [[ $predicted == "$measured" ]] || fail "$algorithm sends $measured bytes, not $predicted"
  read -r predicted measured < <(quantity compute_s)
  awk -v p="$predicted" -v m="$measured" 'BEGIN { exit !(p > 0.02 && m > 0.95 * p) }' ||
    fail "$algorithm computes for $measured s, not $predicted s"
done
grep -q '^paced:slow: waits' "$scratch/stdout" || fail "the table does not say that it was paced"
[[ $(column compared/comparison.csv device | sort -u) == paced:slow ]] || fail "comparison.csv does not say that it was paced"
succeeds tandem explain compared/measured
grep -q ', 2 workers, real, paced:slow$' "$scratch/stdout" || fail "explain says: $(<"$scratch/stdout")"
# Both are as much faster as the scenario says.
succeeds tandem compare small.yaml --platform six.xml --device paced:slow --set simulation.compute_factor=2 --out compared
read -r predicted measured < <(quantity compute_s)
awk -v p="$predicted" -v m="$measured" 'BEGIN { exit !(p > 0.01 && m > 0.95 * p && m < 1.8 * p) }' ||
  fail "twice as fast it computes for $measured s, not $predicted s"
for world in predicted measured; do
  [[ $(column compared/$world/summary.csv device | sort -u) == "paced:slow x2" ]] || fail "$world on $(column compared/$world/summary.csv device)"
done
