#!/usr/bin/env bash
# What bounds a result: gains that a re-simulation confirms, on one screen.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
scenario small.yaml

# explained RESULT: fits a screen of 80 columns and 24 lines, and no prediction is off by over 2 %.
explained() {
  succeeds tandem explain "$1"
  local screen
  screen=$(sed -n '/^Bottleneck: /,$p' "$scratch/stdout")
  [[ $(wc -l <<<"$screen") -le 23 ]] || fail "more than a screen"
  [[ $(wc -L <<<"$screen") -le 80 ]] || fail "wider than a screen"
  grep -qE '^(the knee is between|no knee up to|past the knee from) ' <<<"$screen" || fail "says nothing of the knee"
  awk '/^(as it is|infinite bandwidth|no latency|infinite bandwidth, no latency|devices twice as fast) / {
         ++checked; if ($NF > 2 || $NF < -2) { print; exit 1 } }
       END { if (checked != 5) exit 1 }' <<<"$screen" || fail "predictions that a simulation does not confirm"
}

succeeds tandem simulate small.yaml --out ring --set workers=4 --set 'algorithm={name: ring, bucket: 1 MB}'
explained ring
succeeds tandem simulate small.yaml --out exact --set workers=4 --set simulation.executor=exact --set batch_size=64
explained exact
succeeds tandem simulate small.yaml --out server --set workers=3 --set algorithm=parameter_server
explained server
# Workers of one node are that; two of which each is in a rack of its own are no nodes.
succeeds tandem simulate small.yaml --out nodes --set workers=16 --set algorithm=hierarchical --platform ec2_p2_8xlarge
succeeds tandem explain nodes
grep -qx "the knee is between 8 and 9 workers" "$scratch/stdout" || fail "does not tell where one node's workers end"
succeeds tandem simulate small.yaml --out racks --set workers=8 --set algorithm=hierarchical --device k80 \
  --platform "$(dirname "$0")/../sim/platforms/interleaved_racks.xml"
succeeds tandem explain racks
grep -qx "no knee can be looked for: 2 workers can't be simulated" "$scratch/stdout" || fail "does not say that no knee can be looked for"
# Members of a tree wait for those next to them.
succeeds tandem simulate small.yaml --out tree --set workers=3 --set 'algorithm={name: double_binary_tree, bucket: 64 KB}'
explained tree
# Whom servers answer first follows from who comes first.
for mode in synchronous asynchronous; do
  succeeds tandem simulate small.yaml --out "$mode" --set workers=3 --set 'faults={slow: [{rank: 1, factor: 2}]}' \
    --set "algorithm={name: parameter_server, mode: $mode, bucket: 64 KB}"
  explained "$mode"
done
# A server holds back a worker that is too far ahead, waits for what it was asked for and pushed, and takes what was sent last.
for settings in 'early_pull: false, bucket: 64 KB' 'mode: stale_synchronous' 'mode: asynchronous, early_pull: false' 'mode: asynchronous, push_every: 2, pull_every: 3'; do
  succeeds tandem simulate small.yaml --out held --set workers=3 --set iterations=6 --set 'faults={slow: [{rank: 1, factor: 2}]}' \
    --set "algorithm={name: parameter_server, $settings}"
  explained held
done
# An iteration is then the mean of all, by path and as simulated.
succeeds tandem simulate small.yaml --out varying --set workers=2 --set 'faults={compute: {distribution: lognormal, sigma: 1}}'
explained varying
# Faults that change later are not in what is simulated anew, which is the beginning of a long run.
succeeds tandem simulate small.yaml --out later --set workers=3 --set iterations=40 --set 'faults={slow: [{rank: 1, factor: 2, from: 30}]}'
explained later
grep -qx 'faults change in time: this is of the first 21 of its 41 iterations' "$scratch/stdout" ||
  fail "does not say that a fault begins later"
sed '/^iterations/d' small.yaml >epochs.yaml
succeeds tandem simulate epochs.yaml --out epochs --set workers=3 --set epochs=1 --set 'faults={slow: [{rank: 1, factor: 2, from: 2}]}'
succeeds tandem explain epochs
grep -qx 'faults change in time: this is of the first 21 iterations' "$scratch/stdout" || fail "does not say which iterations it is of"
succeeds tandem simulate small.yaml --out soon --set workers=3 --set iterations=20 --set 'faults={slow: [{rank: 1, factor: 2, from: 2}]}'
succeeds tandem explain soon
! grep -q 'faults change' "$scratch/stdout" || fail "says that it leaves out what it has"
# Where another order leads to what the trace does not show, nothing is predicted.
succeeds tandem simulate small.yaml --out neighbours --set workers=3 --set iterations=6 --set algorithm=ad_psgd
succeeds tandem explain neighbours
grep -qE '^infinite bandwidth +- +- +[0-9.]+ +[0-9.]+ +-$' "$scratch/stdout" || fail "predicts what it can't know"
grep -q '^no prediction by path: ' "$scratch/stdout" || fail "does not say why"
succeeds tandem simulate small.yaml --out late --set workers=2 --set 'algorithm={name: ring, overlap: false}' --set model=resnet50
explained late
grep -q '^overlap: true ' "$scratch/stdout" || fail "does not try overlap"

# parts_add_up: the path that was printed last is as long as the iteration.
parts_add_up() {
  awk '/^critical path / { inside = 1; next } !NF { inside = 0 } inside { sum += $(NF - 1) }
       /^as it is / { if (!sum || sum / $4 - 1 > 0.002 || sum / $4 - 1 < -0.002) { print sum " is not " $4; exit 1 } found = 1 }
       END { if (!found) exit 1 }' "$scratch/stdout" || fail "the path's parts don't add up"
}

# A measurement can't tell latency from bandwidth, and nothing checks what its trace says.
succeeds tandem run small.yaml --out servers --set workers=2 --set algorithm=parameter_server --set iterations=6 --set trace.iterations=4
succeeds tandem explain servers
parts_add_up
succeeds tandem run small.yaml --out real --set workers=2
succeeds tandem explain real
parts_add_up
if grep -qE '^(infinite bandwidth|no latency)  ' "$scratch/stdout"; then fail "tells apart what a measurement can't"; fi
grep -qE '^infinite bandwidth, no latency +[0-9.]+ +[0-9.]+$' "$scratch/stdout" || fail "says nothing of the network"
grep -qx "the trace has 1 of 3 iterations whole: their median, and its path" "$scratch/stdout" ||
  fail "does not say what it goes by"
grep -qx "caution: one alone may be unlike others; make it again with trace.iterations=all" "$scratch/stdout" ||
  fail "does not say that this is little"
succeeds tandem run small.yaml --out sparse --set workers=2 --set 'trace={every: 100, iterations: 1}'
succeeds tandem explain sparse
grep -qx "caution: one alone may be unlike others; make it again with trace.iterations=all and trace.every=1" "$scratch/stdout" ||
  fail "asks for a trace that it refuses"
succeeds tandem run small.yaml --out shortest --set workers=2 --set iterations=2
succeeds tandem explain shortest
grep -qx "caution: one alone may be unlike others; make it again with more iterations" "$scratch/stdout" ||
  fail "asks for a trace that there is"

# How far the simulations on the way are is no part of what is said.
succeeds tandem explain ring
[[ $(sed -n 2p "$scratch/stdout") == "mnist_cnn, ring, 4 workers, simulated on gcp_k80" ]] || fail "says more than it should"
if grep -q '^caution: ' "$scratch/stdout"; then fail "is cautious of a simulation, whose iterations are alike"; fi

refuses 2 "nowhere/run.json: no such file; *" tandem explain nowhere
mkdir comparison
cp -r ring comparison/predicted
cp -r real comparison/measured
refuses 2 "comparison/run.json: no such file; comparison is a comparison, whose results are comparison/predicted and comparison/measured" \
  tandem explain comparison
# Without a file of its platform, such as a lab's that is down, its calibration, or a device beside it, the trace tells what it can.
tests=$(dirname "$0")/..
missing() {
  succeeds tandem explain gone
  grep -q '^Bottleneck: ' "$scratch/stdout" || fail "says nothing without $1"
  grep -q '^devices twice as fast ' "$scratch/stdout" || fail "predicts nothing without $1"
  [[ $(<"$scratch/stdout") == *"Nothing was simulated to check this, "*"$1"*"tandem lab up"* ]] || fail "does not say that $1 is missing"
}
cp "$tests/../platforms/gcp_k80.xml" mine.xml
succeeds tandem simulate small.yaml --platform ./mine.xml --device k80 --out gone
succeeds tandem simulate small.yaml --platform ./mine.xml --device k80 --out aside --set trace.iterations=all --set 'faults={compute: {distribution: lognormal, sigma: 1}}'
rm mine.xml
missing "/mine.xml: no such file;"
succeeds tandem explain aside
grep -qE '^the trace has [0-9]+ of [0-9]+ iterations whole: their mean, and its path$' "$scratch/stdout" || fail "does not say that times are means"
cp "$tests"/sim/platforms/calibrated.{xml,yaml} .
mkdir devices
sed 's/^name: .*/name: own/' "$tests/../platforms/devices/k80.yaml" >devices/own.yaml
succeeds tandem simulate small.yaml --platform ./calibrated.xml --device own --out gone
mv calibrated.yaml aside.yaml
missing "/calibrated.yaml: can't read this file: No such file"
mv aside.yaml calibrated.yaml
rm devices/own.yaml
missing "no own.yaml in "
rm calibrated.*
missing "/calibrated.xml: no such file;"
refuses 2 "--point 2: ring has 1 point, counted from 1" tandem explain ring --point 2
mkdir broken
cp ring/run.json broken
echo '{' >broken/trace.json
refuses 2 "broken/trace.json:*:*: not JSON: it ends before it is complete" tandem explain broken
succeeds tandem simulate small.yaml --out seldom --set iterations=8 --set 'algorithm={name: local_sgd, local_steps: 4}'
explained seldom
grep -q '^critical path of 4 iterations ' "$scratch/stdout" || fail "does not take a whole period"

# No refusal names a library's functions, or a file of explain's own.
odd_run() {
  echo "$1" >broken/run.json
  refuses 2 "broken/run.json: not as this tandem writes it; make the result again ($2)" tandem explain broken
}
cp ring/trace.json broken
odd_run '{"points": [null]}' "null stands where a map or a list has to be"
odd_run '{"points": [{"scenario": {"workers": 4}}]}' "model is missing; give one, such as 'model: mnist_cnn'"

# A trace with what this tandem doesn't write is refused by name, by figures too.
cp -r ring foreign
tid=2
for odd in -1 1e300; do
  sed -i "s/\"tid\":$tid,/\"tid\":$odd,/" foreign/trace.json
  tid=$odd
  message="*foreign/trace.json: not as this tandem writes it; make the result again (tid: it can't be ${odd/e/e+})"
  refuses 2 "$message" tandem explain foreign
  refuses 2 "$message" tandem plot timeline foreign --out line
done
