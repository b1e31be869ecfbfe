#!/usr/bin/env bash
# Accuracy on the way, in both worlds: the same, since the weights are.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
scenario small.yaml
settings=(--set evaluate_every=2 --set sweep.algorithm='[ring, {name: pairwise_averaging, passes: 2}]')

# accuracies FOLDER: a line an evaluation, without its time.
accuracies() { cut -d, -f1-7,9- "$1/accuracy.csv"; }

succeeds tandem simulate small.yaml --set simulation.depth=payload "${settings[@]}" --out simulated
succeeds tandem run small.yaml "${settings[@]}" --out run
succeeds tandem simulate small.yaml "${settings[@]}" --out sizes
[[ ! -e sizes/accuracy.csv ]] || fail "a simulation that learns nothing has accuracies: $(<sizes/accuracy.csv)"
[[ $(names run) == "accuracy.csv iterations.csv run.json summary.csv trace.json traffic.csv" ]] || fail "run holds $(names run)"
[[ $(accuracies simulated) == "$(accuracies run)" ]] || fail "accuracies differ: $(diff simulated/accuracy.csv run/accuracy.csv)"
[[ $(column run/accuracy.csv iteration | xargs) == "2 4 2 4" ]] || fail "other iterations: $(<run/accuracy.csv)"
[[ $(column run/accuracy.csv images | xargs) == "32 64 32 64" ]] || fail "other images: $(<run/accuracy.csv)"
[[ $(column run/accuracy.csv algorithm | uniq | xargs) == "ring pairwise_averaging_2" ]] || fail "$(<run/accuracy.csv)"
for row in 2 4; do  # the last of each point is of the final weights
  [[ $(column run/accuracy.csv accuracy | sed -n ${row}p) == "$(column run/summary.csv accuracy | sed -n $((row / 2))p)" ]] ||
    fail "the final accuracy differs from the summary's"
done
awk -F, 'NR > 1 && $8 <= 0 { exit 1 }' run/accuracy.csv simulated/accuracy.csv || fail "no time passed"

succeeds tandem run small.yaml --out run
is_result run 1
