#!/usr/bin/env bash
# What-if: factors, points as tasks of a batch system, the most workers that scale, tuning.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
scenario small.yaml
said() { grep -qF -- "$1" "$scratch/stdout" || fail "did not say: $1"; }

# Twice as fast a device has a baseline of its own.
succeeds tandem simulate small.yaml --out factors --set 'sweep.workers=[1, 2]' --set 'sweep.simulation.compute_factor=[1, 2]'
[[ $(column factors/summary.csv device | xargs) == "k80 k80 x2 k80 k80 x2" ]] || fail "the devices' names"
[[ $(column factors/summary.csv speedup | grep -cx 1) -eq 2 ]] || fail "the baselines"
refuses 2 "--set simulation.bandwidth_factor=0: simulation.bandwidth_factor is '0', but has to be *" \
  tandem check small.yaml --set simulation.bandwidth_factor=0

# The points of a sweep as the tasks of a Slurm array, which sets a number; a quote in a folder's name hurts nothing.
sweep=(--set 'sweep.workers=[1, 2]' --set 'sweep.simulation.latency_factor=[1, 10]')
succeeds tandem simulate small.yaml "${sweep[@]}" --out whole
mkdir "it's here"
cd "it's here"
cp ../small.yaml .
succeeds tandem simulate small.yaml "${sweep[@]}" --out 'a b' --slurm array.sh
[[ $(names .) == "array.sh small.yaml" ]] || fail "the script is not all that was written: $(names .)"
if command -v shellcheck >/dev/null; then shellcheck array.sh || fail "the script has faults"; fi
grep -qx '#SBATCH --array=1-4' array.sh || fail "the array is not of four tasks"
for task in 4 1 2; do SLURM_ARRAY_TASK_ID=$task succeeds bash array.sh; done
before=$(files)
run tandem simulate small.yaml "${sweep[@]}" --out 'a b' --join
error_is 2 "a b/points lacks 1 of 4 points; run with --points 3 first"
[[ $(files) == "$before" ]] || fail "joining too early left something"
SLURM_ARRAY_TASK_ID=3 succeeds bash array.sh
succeeds tandem simulate small.yaml "${sweep[@]}" --out 'a b' --join
is_result 'a b' 4
cmp 'a b/summary.csv' ../whole/summary.csv || fail "joined points differ from a sweep"
cd ..
refuses 2 "--points 5: there is no point 5: the sweep has 4; *" tandem simulate small.yaml "${sweep[@]}" --points 5
refuses 2 "*excludes*" tandem simulate small.yaml --points 1 --join

# The most workers that scale, up to the platform's eight hosts.
succeeds tandem simulate small.yaml --out scaling --until-efficiency 0.3
said "The most workers that keep an efficiency of 30.0 %, of those tried:"
is_result scaling "$(($(grep -c "^mnist_cnn  ring" "$scratch/stdout") + 1))"
answer=$(sed -n 's/^  mnist_cnn, ring: \([0-9]*\) .*; .* would have .*/\1/p' "$scratch/stdout")
awk -F, -v most="$answer" 'NR == 1 { for (i = 1; i <= NF; ++i) at[$i] = i; next }
  $at["workers"] <= most && $at["efficiency"] < 0.3 { exit 1 } $at["workers"] > most && $at["efficiency"] >= 0.3 { exit 1 }
  ' scaling/summary.csv || fail "$answer workers are not the answer"
succeeds tandem simulate small.yaml --out scaling --until-efficiency 0
said "ring: 8 ("
said "; 9 can't be run: platform"
# What all that were tried warn of is told once, whichever round they were of.
succeeds tandem simulate small.yaml --out warned --until-efficiency 0.3 --set 'faults.slow=[{rank: 0, factor: 2, from: 3600 s}]'
[[ $(grep -c '^warning: device k80 ' "$scratch/stdout") -eq 1 && $(grep -c 'without effect: ' "$scratch/stdout") -eq 1 ]] || fail "does not warn once"
tried=$(column warned/summary.csv workers | wc -l)
said "warning: points 2-$tried of $tried: without effect: faults.slow of rank 0: it begins after the training's end"
refuses 2 "--until-efficiency: algorithm none*" tandem simulate small.yaml --until-efficiency 0.5 --set algorithm=none --set workers=1

# Tuning: never slower than what was asked for, and what it writes is a scenario that takes just that time.
slow=(--set model=resnet50 --set batch_size=4 --set workers=4 --set simulation.latency_factor=40)
for algorithm in '{name: ring, bucket: 0}' '{name: parameter_server, priority: false}'; do
  rm -rf tuned
  succeeds tandem tune small.yaml --out tuned "${slow[@]}" --set algorithm="$algorithm"
  [[ $(names tuned) == "trials.csv tuned.yaml" ]] || fail "tuned holds $(names tuned)"
  said "% less."
  times=$(column tuned/trials.csv iteration_s)
  own=$(sed -n 1p <<<"$times")
  least=$(grep . <<<"$times" | sort -g | sed -n 1p)
  succeeds tandem simulate tuned/tuned.yaml --out best
  best=$(column best/summary.csv iteration_s)
  awk -v best="$best" -v own="$own" -v least="$least" \
    'BEGIN { exit !(best < 0.99 * own && best <= 1.0100001 * least) }' || fail "tuned: $best, as written: $own, least: $least"
done
refuses 2 "--allow local_steps: algorithm all_reduce has compression to allow*" tandem tune small.yaml --allow local_steps
refuses 2 "algorithm none has nothing to tune*" tandem tune small.yaml --set algorithm=none --set workers=1
refuses 2 "small.yaml: this sweep has 2 points*" tandem tune small.yaml --set 'sweep.workers=[1, 2]'
