#!/usr/bin/env bash
# Runs that are killed go on from their checkpoints and end as if nothing had happened; what can't be gone on from is refused.
# $kills says how often the first of them is killed.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/cli/checkpoint_lib.sh
. "$(dirname "$0")/checkpoint_lib.sh"
RANDOM=2024
learning small.yaml

kills=${kills:-20}
survives_kills "$kills" killed tandem run small.yaml
((resumed >= kills - 2)) || fail "went on from a checkpoint only $resumed times"
as_if_never_killed killed tandem run small.yaml
losses() { cut -d, -f7,12 "$1/iterations.csv"; }
[[ $(losses killed) == "$(losses whole)" ]] || fail "other iterations or losses"
grep -q '"resumed_after_iterations"' killed/run.json || fail "run.json does not say that it was resumed"

# Never stopped.
rm -r whole
succeeds tandem run small.yaml --out whole
[[ $(names whole/checkpoints) == "iteration-1197 iteration-1201" ]] || fail "keeps $(names whole/checkpoints)"
[[ $(wc -l <whole/iterations.csv) -eq 1202 ]] || fail "has other iterations"
expected=$(hash_of whole)

# The same again would overwrite them.
refuses 2 "*/whole/checkpoints/iteration-1201 is there from an earlier run; give --resume to go on from it, or remove *" \
  tandem run small.yaml --out whole
scenario plain.yaml
refuses 2 "--resume: scenario small makes no checkpoints; *" tandem run plain.yaml --resume --out other

# Of another training, and damaged.
refuses 2 "can't go on from any of 2 checkpoints, the newest of which is */iteration-1201: it is of another training: its seed is 1, here it is 5; remove *" \
  tandem run small.yaml --resume --out whole --set seed=5
truncate -s -1 whole/checkpoints/iteration-1201/member-1
run tandem run small.yaml --resume --out whole
[[ $code -eq 0 ]] || fail "ended with code $code"
[[ $(<"$scratch/stderr") == "tandem: warning: can't go on from "*"/iteration-1201: member-1 has "*" were written" ]] ||
  fail "does not say what is damaged"
[[ $(resumes_from) -eq 1197 ]] || fail "does not go on from the one before"
[[ $(hash_of whole) == "$expected" ]] || fail "ended with other weights"

refuses 2 "--resume goes on from the newest checkpoint, but checkpoint.resume is 1197; *" \
  tandem run small.yaml --resume --set checkpoint.resume=1197 --out whole
cp -r whole/checkpoints/iteration-1197 whole/checkpoints/iteration-5000
run tandem run small.yaml --resume --out whole
[[ $code -eq 0 && $(resumes_from) -le 1201 ]] || fail "believes the name of a copy"
grep -q "iteration-5000: it is the checkpoint after iteration 1197 under another name" "$scratch/stderr" || fail "does not say what is wrong with a copy"
rm -r whole/checkpoints/iteration-5000

# What others have in folders of such names stays.
mkdir -p mine/iteration-3
echo precious >mine/iteration-3/thesis.tex
succeeds tandem run small.yaml --set checkpoint.path=mine --set iterations=30 --out elsewhere
[[ -e mine/iteration-3/thesis.tex ]] || fail "removes what it has not written"

# On more workers, and longer: the iterations of two workers are not those of three.
succeeds tandem run small.yaml --resume --out whole --set workers=3 --set iterations=1210
[[ $(sed -n '2p' whole/iterations.csv | cut -d, -f7) -eq 1201 ]] || fail "begins elsewhere"

# Shards of ZeRO and of servers.
for algorithm in '{name: zero, stage: 3}' '{name: parameter_server, servers: 2}'; do
  rm -rf killed
  survives_kills 2 killed tandem run small.yaml --set algorithm="$algorithm"
  as_if_never_killed killed tandem run small.yaml --set algorithm="$algorithm"
done

# Algorithms whose result depends on who comes first go on with all iterations; of one worker nobody comes before it.
for algorithm in ad_psgd '{name: elastic_averaging, local_steps: 3}' '{name: parameter_server, mode: asynchronous, pull_every: 3}' \
  '{name: parameter_server, mode: stale_synchronous}' '{name: parameter_server, backup_workers: 1}'; do
  settings=(--set algorithm="$algorithm")
  rm -rf killed
  survives_kills 2 killed tandem run small.yaml "${settings[@]}"
  [[ $(wc -l <killed/iterations.csv) -eq $((iterations + 2)) ]] || fail "$algorithm: has other iterations"
  succeeds tandem run small.yaml --resume --out killed "${settings[@]}" --set iterations=$((iterations + 20)) --set workers=3
  [[ $(sed -n '2p' killed/iterations.csv | cut -d, -f7) -eq $((iterations + 1)) ]] || fail "$algorithm: begins elsewhere on three workers"
  if [[ $algorithm == *backup* ]]; then continue; fi
  settings+=(--set workers=1)
  rm -rf killed
  survives_kills 1 killed tandem run small.yaml "${settings[@]}"
  as_if_never_killed killed tandem run small.yaml "${settings[@]}"
done

# The collectives that were chosen at first, whatever a later run would measure.
settings=(--set algorithm='{name: all_reduce, collective: auto}' --set workers=3 --set iterations=100)
rm -rf whole killed
succeeds tandem run small.yaml "${settings[@]}" --out whole
reason() { python3 -c 'import json, sys
print(json.load(open(sys.argv[1]))["points"][0]["environment"]["collectives"])' "$1/run.json"; }
chosen=$(reason whole)
cp -r whole killed
for out in whole killed; do
  succeeds tandem run small.yaml "${settings[@]}" --set iterations=200 --resume --out "$out"
  [[ $(reason "$out") == "$chosen" ]] || fail "goes on with $(reason "$out"), not $chosen"
done
[[ $(hash_of killed) == "$(hash_of whole)" ]] || fail "collective auto: ended with other weights"
# Others measure anew. Without a node size that of the hosts is taken, each time.
succeeds tandem run small.yaml "${settings[@]}" --set workers=2 --set iterations=220 --resume --out whole
settings=(--set algorithm=hierarchical --set iterations=20)
rm -rf whole
succeeds tandem run small.yaml "${settings[@]}" --out whole
succeeds tandem run small.yaml "${settings[@]}" --set iterations=30 --resume --out whole
