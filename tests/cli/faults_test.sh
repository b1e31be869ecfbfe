#!/usr/bin/env bash
# Scenarios in which something goes wrong: what results say of it, and what is refused.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
scenario small.yaml

says() { grep -qF -- "$1" "$scratch/stdout" || fail "does not say: $1"; }

# faults TEXT: the small scenario with these faults.
faults() { { cat small.yaml; echo "faults: $1"; } >faulty.yaml; }

# All kinds at once, over three seeds: parts that add up, bands, links over time.
faults '{repeats: 3, slow: [{rank: 1, factor: 2}], compute: {distribution: weibull, shape: 5},
  links: [{link: gcp_k80_link_0, bandwidth_factor: 0.5, from: 1 ms, until: 3 ms}],
  traffic: [{source: node-5, destination: node-1, bytes: 1 MB, every: 2 ms, arrivals: poisson}],
  fail: [{host: node-1, at: 2 ms}], recovery: {checkpoint_every: 1, restart: 1 s}}'
succeeds tandem simulate faulty.yaml --out disturbed
says "varying compute times"
says "The busiest links"
[[ $(names disturbed) == "iterations.csv links.csv lost.csv run.json summary.csv topology.csv trace.json traffic.csv" ]] || fail "holds $(names disturbed)"
awk -F, '
  FNR == 1 { for (i = 1; i <= NF; ++i) at[FILENAME, $i] = i; next }
  FILENAME ~ /lost/ { lost += $at[FILENAME, "lost_s"] }
  FILENAME ~ /summary/ {
    want = $at[FILENAME, "lost_s"]; low = $at[FILENAME, "iteration_s_low"]; high = $at[FILENAME, "iteration_s_high"]
    if ($at[FILENAME, "repeats"] != 3 || !(low < high) || !(want > 0)) exit 1
  }
  END { if (lost < 0.999999 * want || lost > 1.000001 * want) exit 1 }' disturbed/lost.csv disturbed/summary.csv ||
  fail "the parts of the lost time do not add up"
cp -r disturbed before
succeeds tandem simulate faulty.yaml --out disturbed
for file in summary lost links iterations; do
  cmp -s before/$file.csv disturbed/$file.csv || fail "$file.csv is another one the second time"
done

# What had no effect is pointed out.
faults '{links: [{link: gcp_k80_link_6, bandwidth_factor: 0.5}]}'
succeeds tandem simulate faulty.yaml --out idle
says "warning: without effect: faults.links of gcp_k80_link_6: it carries nothing"
# Once for all points that it holds for.
succeeds tandem simulate faulty.yaml --out idle --set sweep.workers='[2, 8, 3]'
says "warning: points 2,4 of 4: without effect: faults.links of gcp_k80_link_6: it carries nothing"
says "warning: device k80 was measured with "
[[ $(grep -c "without effect\|device k80" "$scratch/stdout") -eq 2 ]] || fail "repeats a warning"
# A rank may be missing from some points of a sweep, but not from all.
faults '{slow: [{rank: 2, factor: 2}]}'
succeeds tandem simulate faulty.yaml --out idle --set sweep.workers='[2, 3]'
says "warning: point 2 of 3: without effect: faults.slow of rank 2: no member is there"
for command in check simulate; do
  refuses 2 "faulty.yaml:*:*: faults.slow.rank is 2, but the job has 2 members; ranks count from 0" tandem $command faulty.yaml
  refuses 2 "*faults=*: faults.fail.rank is 9, but the job has 3 members; ranks count from 0" \
    tandem $command faulty.yaml --set faults='{fail: [{rank: 9, at: 1 s}]}' --set sweep.workers='[2, 3]'
done

# A sweep is measured against one undisturbed worker.
faults '{slow: [{rank: 0, factor: 2}]}'
succeeds tandem simulate faulty.yaml --out sweep --set sweep.workers='[1, 2]'
[[ $(column sweep/summary.csv workers | xargs) == "1 1 2" ]] || fail "no undisturbed baseline"

refused() { faults "$1" && refuses 2 "$2" tandem simulate faulty.yaml --out refused; }
refused '{slow: [{rank: 0}]}' "faulty.yaml:*faults.slow.factor is missing*"
refused '{slow: [{rank: 0, host: node-1, factor: 2}]}' "*give faults.slow.host or faults.slow.rank, one of the two"
refused '{slow: [{rank: 0, factor: 2, from: 3 s, until: 2 s}]}' "*faults.slow.until is '2 s', but has to be after faults.slow.from"
refused '{compute: {distribution: normal}}' "*there is no distribution 'normal'*Known: lognormal, weibull"
refused '{links: [{link: gcp_k80_link_O, bandwidth_factor: 2}]}' "*has no link 'gcp_k80_link_O'; the nearest is 'gcp_k80_link_*"
refused '{traffic: [{source: nod-1, destination: node-2, flows: 1}]}' "*has no host 'nod-1'; the nearest is 'node-1'"
refused '{fial: []}' "*unknown key 'fial' in faults; did you mean 'fail'?"
faults '{fail: [{rank: 0, at: 0 s}], recovery: {min_workers: 2}}'
run tandem simulate faulty.yaml --out few
error_is 2 "*rank 0 fails and leaves 1 worker at 0 s, fewer than faults.recovery.min_workers, which is 2"
if built tandem-run; then
  refuses 2 "*faults.fail: a real run goes on after that with --elastic alone" tandem run faulty.yaml --out real -n 2
fi
