#!/usr/bin/env bash
# Runs that are killed go on from their checkpoints and end as if nothing had happened; what can't be gone on from is refused.
# $kills says how often the first of them is killed.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/cli/checkpoint_lib.sh
. "$(dirname "$0")/checkpoint_lib.sh"
RANDOM=2024
learning small.yaml

# Never stopped.
succeeds tandem run small.yaml --out whole
[[ $(names whole/checkpoints) == "iteration-1197 iteration-1201 lock" ]] || fail "keeps $(names whole/checkpoints)"
[[ $(wc -l <whole/iterations.csv) -eq 1202 ]] || fail "has other iterations"
expected=$(hash_of whole)

survives_kills "${kills:-20}" killed tandem run small.yaml
((resumed * 2 > ${kills:-20})) || fail "went on from a checkpoint only $resumed times"
[[ $(hash_of killed) == "$expected" ]] || fail "ended with other weights: $(hash_of killed), not $expected"
losses() { cut -d, -f6,11 "$1/iterations.csv"; }
[[ $(losses killed) == "$(losses whole)" ]] || fail "other iterations or losses"
grep -q '"resumed_after_iterations"' killed/run.json || fail "run.json does not say that it was resumed"

# The same again would overwrite them.
refuses 2 "*/whole/checkpoints/iteration-1201 is there from an earlier run; give --resume to go on from it, or remove *" \
  tandem run small.yaml --out whole
scenario plain.yaml
refuses 2 "--resume: scenario small makes no checkpoints; *" tandem run plain.yaml --resume --out other
refuses 2 "small.yaml:*: checkpoint is not possible with algorithm ad_psgd: *" \
  tandem run small.yaml --set algorithm=ad_psgd --out other

# Of another training, and damaged.
refuses 2 "can't go on from */iteration-1201: it is of another training: its seed is 1, here it is 5; remove *" \
  tandem run small.yaml --resume --out whole --set seed=5
truncate -s -1 whole/checkpoints/iteration-1201/member-1
run tandem run small.yaml --resume --out whole
[[ $code -eq 0 ]] || fail "ended with code $code"
[[ $(<"$scratch/stderr") == "tandem: warning: can't go on from "*"/iteration-1201: member-1 has "*" were written" ]] ||
  fail "does not say what is damaged"
[[ $(resumes_from) -eq 1197 ]] || fail "does not go on from the one before"
[[ $(hash_of whole) == "$expected" ]] || fail "ended with other weights"

# On more workers, and longer: the iterations of two workers are not those of three.
succeeds tandem run small.yaml --resume --out whole --set workers=3 --set iterations=1210
[[ $(sed -n '2p' whole/iterations.csv | cut -d, -f6) -eq 1201 ]] || fail "begins elsewhere"

# Shards of ZeRO and of servers.
for algorithm in '{name: zero, stage: 3}' '{name: parameter_server, servers: 2}'; do
  settings=(--set algorithm="$algorithm" --set iterations=300)
  rm -rf whole killed
  succeeds tandem run small.yaml "${settings[@]}" --out whole
  survives_kills 2 killed tandem run small.yaml "${settings[@]}"
  [[ $(hash_of killed) == "$(hash_of whole)" ]] || fail "$algorithm: ended with other weights"
done
