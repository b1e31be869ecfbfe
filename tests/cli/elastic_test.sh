#!/usr/bin/env bash
# Runs that lose workers and servers go on with those that are left, take back who returns, and train on all that was planned.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/cli/checkpoint_lib.sh
. "$(dirname "$0")/checkpoint_lib.sh"
scenario small.yaml
sed -i 's/^iterations: .*/iterations: 400/; $a checkpoint: {every: 10}' small.yaml
events() { python3 -c 'import json, sys
for event in json.load(open(sys.argv[1]))["points"][0]["environment"]["failures"]: print(event["workers"], event["event"])' "$1/run.json"; }
has_events() {
  [[ $(events "$1") == "$2" ]] || fail "other events: $(events "$1")"
}

# saves_itself FOLDER OPTION...: a first checkpoint, so that there is one however soon after --resume something fails.
saves_itself() {
  local out=$1
  shift
  succeeds tandem run small.yaml --elastic "$@" --set iterations=10 --out "$out"
}
# goes_on FOLDER FAULTS OPTION...: to the end, through the faults. Those of rank 0 may strike at once: the job begins when that
# rank does.
goes_on() {
  local out=$1 faults=$2
  shift 2
  succeeds tandem run small.yaml --elastic --resume "$@" --set faults.fail="$faults" --out "$out"
}
# loses_on_the_way FOLDER RANK FAULT OPTION...: goes on through the loss of another rank, once rank 0 has begun too, and before
# all is done: when that is depends on the machine. FAULT is what else there is to say, AT the time.
loses_on_the_way() {
  local out=$1 rank=$2 fault=$3 at=100 tries
  shift 3
  for ((tries = 0; tries < 8; ++tries)); do
    rm -rf "$out"
    saves_itself "$out" "$@"
    goes_on "$out" "[{rank: $rank, at: $at ms${fault//AT/$at}}]" "$@"
    case $(events "$out") in
      *"; the job starts anew"*) at=$((at * 3)) ;;
      *" fails"*) return ;;
      *) at=$((at / 2)) ;;
    esac
  done
  fail "rank $rank is never lost on the way: $(events "$out")"
}
# With few checkpoints, each of which waits for the disk: for long enough to be killed on the way and to go on without a host for a while,
# or just to be killed.
long=(--set iterations=3000 --set checkpoint.every=100)
brief=("${long[@]}" --set batch_size=2)
# loses_rank_1 FOLDER OPTION...: once it has a checkpoint. Whose host is there, so that it takes part again.
loses_rank_1() {
  local out=$1
  shift
  begin tandem run small.yaml --elastic "$@" "${long[@]}" --out "$out"
  within 60 "a checkpoint" has_saved_after "$out" 0
  kill_rank_1
  ends 300
  [[ $code -eq 0 ]] || fail "ended with code $code"
}
# done_until FOLDER ITERATIONS: how many of all workers those make.
done_until() { python3 -c 'import json, sys
print(round(json.load(open(sys.argv[1]))["content"]["done"], 6))' "$1/checkpoints/iteration-$2/manifest.json" | sed 's/\.0$//'; }
has_saved_after() { (($(newest_of "$1") > $2)) || job_has_ended; } # FOLDER ITERATION
process_of() {
  local id
  for id in $(processes tandem-run); do
    if grep -qsz "^OMPI_COMM_WORLD_RANK=$1\$" "/proc/$id/environ"; then echo "$id"; fi
  done
}
kill_rank_1() {
  local ids
  mapfile -t ids < <(process_of 1)
  ((${#ids[@]} > 0)) || fail "no rank 1 is there to be killed"
  kill -KILL "${ids[0]}"
}
times_told() { grep -c "$1" "$scratch/stdout" || true; }
told() { (($(times_told "$1") >= $2)) || job_has_ended; } # WHAT TIMES

# Never disturbed, supervised or not.
succeeds tandem run small.yaml --out whole
expected=$(hash_of whole)
succeeds tandem run small.yaml --elastic --out calm
[[ $(hash_of calm) == "$expected" ]] || fail "a supervised run ends with other weights"
has_events calm $'2 training begins\n2 training is done'
# Tests of accuracy are made in undisturbed runs as well: what they take is not lost.
succeeds tandem run small.yaml --elastic --set evaluate_every=4 --out tested
# By what the run tells itself: on a busy machine, whose ranks have to wait for a core, iterations may take many times what tests do.
python3 -c 'import csv, statistics, sys
total, lost = map(float, sys.argv[1:])
iterations = [float(row["iteration_s"]) for row in csv.DictReader(open("tested/iterations.csv"))]
written = sum(float(row["lost_s"]) for row in csv.DictReader(open("tested/lost.csv")) if row["cause"] == "writing checkpoints")
tested = total - sum(iterations) - written
# In the median, as lost_s has it: what some iterations take longer is lost. The first one warms up.
usual = iterations[0] + statistics.median(iterations[1:]) * (len(iterations) - 1)
sys.exit(not total - lost > usual + tested / 2 > usual)' "$(column tested/summary.csv total_s)" "$(column tested/summary.csv lost_s)" ||
  fail "total_s and lost_s are $(column tested/summary.csv total_s) and $(column tested/summary.csv lost_s), as if nothing had been tested"

# Back before the others have started anew: the same workers, so the same weights.
loses_on_the_way same 1 ', back: AT.5 ms'
[[ $(hash_of same) == "$expected" ]] || fail "ended with other weights: $(hash_of same), not $expected"
has_events same $'2 training begins\n1 rank 1 fails\n2 training goes on from the last checkpoint\n2 training is done'
grep -q "s: rank 1 fails" "$scratch/stdout" || fail "does not tell that a rank failed"
[[ $(column same/lost.csv cause | xargs) == *"detection restart"* ]] || fail "lost.csv has $(column same/lost.csv cause | xargs)"

python3 -c 'import json, sys
costs = json.load(open("same/run.json"))["points"][0]["environment"]["recovery_seconds"]
sys.exit(sorted(costs) != ["detection", "read", "restart", "write"] or min(costs.values()) <= 0)' || fail "run.json does not say what each stop took"

# Without checkpoints it starts over.
sed '/^checkpoint/d' small.yaml >forgetful.yaml
succeeds tandem run forgetful.yaml --elastic --set 'faults.fail=[{rank: 0, at: 1 ms, back: 2 ms}]' --out forgetful
[[ $(hash_of forgetful) == "$expected" ]] || fail "started over, it ended with other weights"
has_events forgetful $'2 training begins\n1 rank 0 fails\n2 training starts over\n2 training is done'

# On the hosts of a file.
echo "localhost slots=2" >hosts
saves_itself hosted --hostfile hosts
goes_on hosted '[{rank: 0, at: 1 ms, back: 2 ms}]' --hostfile hosts
[[ $(hash_of hosted) == "$expected" ]] || fail "ended with other weights: $(hash_of hosted), not $expected"
has_events hosted $'2 training begins\n1 rank 0 fails\n2 training goes on from the last checkpoint\n2 training is done'

# What it can't go on from.
older=$(find calm/checkpoints -name 'iteration-*' -printf '%f\n' | sort -V | head -n 1)
run tandem run small.yaml --elastic --set checkpoint.resume="${older#iteration-}" --out calm
error_is 2 "an elastic run goes on from the newest checkpoint, which is */calm/checkpoints/iteration-*; remove those after ${older#iteration-}, or leave checkpoint.resume out"
# Unless the newest is damaged, which the run does not keep either.
cp -r calm damaged
printf x >>damaged/checkpoints/iteration-401/member-1
run tandem run small.yaml --elastic --resume --set iterations=409 --out damaged
[[ $code -eq 0 && $(<"$scratch/stderr") == "tandem: warning: can't go on from "*/damaged/checkpoints/iteration-401:* ]] ||
  fail "ended with code $code, and other warnings"
[[ $(names damaged/checkpoints) == "iteration-400 iteration-410" ]] || fail "keeps $(names damaged/checkpoints)"

# Back later: meanwhile with one worker fewer, so in more iterations.
loses_rank_1 fewer --max 3 --set evaluate_every=500
has_events fewer $'3 training begins\n2 rank 1 was killed by signal 9 (Killed)\n2 training goes on from the last checkpoint\n3 a host that is back takes part\n3 training is done'
last=$(tail -n 1 fewer/iterations.csv | cut -d, -f7)
((last > 3000)) || fail "ends with iteration $last, as if nobody had been missing"
# One curve, whoever was there: nobody sends less, takes no time or has seen fewer images than before.
python3 -c 'import csv, sys
rows = list(csv.DictReader(open("fewer/accuracy.csv")))
assert [int(row["iteration"]) for row in rows] == [*range(500, int(sys.argv[1]) + 1, 500), int(sys.argv[1]) + 1], "iterations"
for column in "time_s", "images", "sent_bytes":
    figures = [float(row[column]) for row in rows]
    assert figures[0] > 0 and all(a < b for a, b in zip(figures, figures[1:])), column' "$last" || fail "fewer/accuracy.csv is $(<fewer/accuracy.csv)"
# What it stood still for is lost, by the times that it tells itself.
python3 -c 'import csv, json, math, sys
total, lost = map(float, sys.argv[1:])
parts = {row["cause"]: float(row["lost_s"]) for row in csv.DictReader(open("fewer/lost.csv"))}
_, killed, goes_on, *_ = (event["seconds"] for event in json.load(open("fewer/run.json"))["points"][0]["environment"]["failures"])
stops = parts["detection"] + parts["restart"] + parts["reading checkpoints"]
sys.exit(not (total > lost and math.isclose(sum(parts.values()), lost) and stops > 0.999 * (goes_on - killed) > 0))' \
  "$(column fewer/summary.csv total_s)" "$(column fewer/summary.csv lost_s)" ||
  fail "total_s and lost_s are $(column fewer/summary.csv total_s) and $(column fewer/summary.csv lost_s), and lost.csv is $(<fewer/lost.csv)"

# A slow worker: all of its computing takes ten times as long, and the other one waits for it. In sums: most kernels take a microsecond or
# a few, less than what whoever else runs here adds to them.
succeeds tandem run small.yaml --elastic --set 'faults.slow=[{rank: 0, factor: 10}]' --set trace.iterations=20 --out slow
[[ $(hash_of slow) == "$expected" ]] || fail "slow, it ended with other weights"
times_as_long=$(python3 -c 'import json
events = json.load(open("slow/trace.json"))
events = events if isinstance(events, list) else events["traceEvents"]
slow, fast = (sum(event["dur"] for event in events if event["ph"] == "X" and event["pid"] == rank + 1 and event["tid"] == 0) for rank in (0, 1))
print(slow / fast)')
awk -v times="$times_as_long" 'BEGIN { exit !(times > 5) }' || fail "the slow worker computed $times_as_long times as long as the other"

# A server; and a worker's host that never returns.
loses_on_the_way server 2 '' --set algorithm='{name: parameter_server, servers: 1}'
has_events server $'2 training begins\n2 rank 2 fails\n2 training goes on from the last checkpoint\n2 training is done'
saves_itself one --set algorithm='{name: zero, stage: 3}'
goes_on one '[{rank: 0, at: 1 ms}]' --set algorithm='{name: zero, stage: 3}'
has_events one $'2 training begins\n1 rank 0 fails\n1 training goes on from the last checkpoint\n1 training is done'
[[ $(column one/summary.csv workers) == 2 ]] || fail "says that it ran with $(column one/summary.csv workers) workers"
succeeds tandem explain one
[[ $(<"$scratch/stdout") == *$'\nmnist_cnn, zero_3, 2 workers (1 by its end), real\n'* ]] || fail "explain says: $(<"$scratch/stdout")"
# Nor is there anything to count lost time by where it starts over without that worker.
succeeds tandem run forgetful.yaml --elastic --min 1 --set 'faults.fail=[{rank: 0, at: 1 ms}]' --out alone
trained=$(column alone/iterations.csv iteration_s | awk '{ sum += $1 } END { print sum }')
awk -v total="$(column alone/summary.csv total_s)" -v trained="$trained" 'BEGIN { exit !(trained > 0 && total > trained) }' ||
  fail "took $(column alone/summary.csv total_s) s in all, and $trained s for iterations"
[[ -z $(column alone/summary.csv lost_s) && ! -e alone/lost.csv ]] || fail "has lost time"

# Whole pipelines alone go on; of an all-reduce in two levels, whoever is there.
for case in "2 {name: pipeline, stages: 2, micro_batches: 2}" "3 hierarchical"; do
  rm -rf groups
  loses_rank_1 groups --max 4 --set algorithm="${case#* }"
  left=${case%% *}
  has_events groups $'4 training begins\n'"$left rank 1 was killed by signal 9 (Killed)"$'\n'"$left training goes on from the last checkpoint"$'\n4 a host that is back takes part\n4 training is done'
done

# Asynchronous algorithms go on from checkpoints too.
for algorithm in ad_psgd '{name: elastic_averaging, local_steps: 3}' '{name: parameter_server, mode: asynchronous}' \
  '{name: parameter_server, backup_workers: 1}'; do
  rm -rf asynchronous
  begin tandem run small.yaml --elastic --set algorithm="$algorithm" "${brief[@]}" --out asynchronous
  within 60 "a checkpoint" has_saved_after asynchronous 0
  kill_first tandem-run
  ends 300
  [[ $code -eq 0 ]] || fail "$algorithm: ended with code $code"
  [[ $(events asynchronous) == *"training goes on from the last checkpoint"* ]] || fail "$algorithm: other events: $(events asynchronous)"
done

# Lost once all is done: there is nothing to be done again.
mkdir late
cp "$(command -v tandem)" "$(command -v tandem-elastic)" late
cat >late/tandem-run <<END
#!/bin/sh
$(command -v tandem-run) "\$@" || exit
[ "\$OMPI_COMM_WORLD_RANK" = 0 ] || kill -KILL \$\$
END
chmod +x late/tandem-run
succeeds env TANDEM_HOME="${TANDEM_HOME:-$(dirname "$0")/../..}" late/tandem run small.yaml --elastic --out late/out
[[ $(hash_of late/out) == "$expected" ]] || fail "ended with other weights"
has_events late/out $'2 training begins\n2 training is done\n2 rank 1 was killed by signal 9 (Killed); all was done by then'

# Killed by somebody else.
begin tandem run small.yaml --elastic "${brief[@]}" --out killed
within 60 "training to begin" trains killed 0
kill_first tandem-run
ends 300
[[ $code -eq 0 ]] || fail "ended with code $code"
[[ $(events killed) == *"rank "?" was killed by signal 9"* ]] || fail "other events: $(events killed)"

# A host whose rank is lost three times is not taken back any more.
begin tandem run small.yaml --elastic "${long[@]}" --out thrice
for lost in 0 1 2; do
  within 60 "both to train" told "takes part" $lost
  first=$(newest_of thrice)
  within 60 "both to save themselves" has_saved_after thrice "${first:-0}"
  kill_rank_1
  within 60 "the loss to be told of" told "rank 1 was killed" $((lost + 1))
done
ends 300
[[ $code -eq 0 ]] || fail "ended with code $code"
[[ $(events thrice | grep -c "rank 1 was killed") == 3 && $(events thrice | grep -c "takes part") == 2 ]] ||
  fail "other events: $(events thrice)"
[[ $(events thrice | tail -n 1) == "1 training is done" ]] || fail "other events: $(events thrice)"

# Before training begins.
has_started() { [[ -n $(processes tandem-run) ]] || job_has_ended; }
# Where it had begun by then, once more.
begun="? training begins"
for ((tries = 0; tries < 10; ++tries)); do
  rm -rf early
  begin tandem run small.yaml --elastic --out early
  within 60 "a rank" has_started
  mapfile -t ids < <(processes tandem-run)
  kill -KILL "${ids[@]:0:1}" 2>/dev/null || true  # it may be all over by now
  ends 300
  [[ $code -eq 0 ]] || fail "ended with code $code"
  # shellcheck disable=SC2053  # a pattern is meant
  [[ $(events early | sed -n 1p) == $begun ]] || break
done
[[ $(events early | sed -n 1p) == *"; the job starts anew" ]] || fail "other events: $(events early)"
[[ $(hash_of early) == "$expected" ]] || fail "started anew, it ended with other weights"

# All hang, so that nobody is left to notice.
begin tandem run small.yaml --elastic "${brief[@]}" --set 'timeout=3 s' --out hung
within 60 "training to begin" trains hung 0
for id in $(processes tandem-run); do kill -STOP "$id"; done
ends 300
[[ $code -eq 0 ]] || fail "ended with code $code"
[[ $(events hung) == *" nothing was heard of the job for "* ]] || fail "other events: $(events hung)"

# Somebody of the lost job holds on to its checkpoints, and does not end by itself; here what looks like a rank of it.
begin tandem run small.yaml --elastic "${brief[@]}" --out left
within 60 "a checkpoint" has_saved_after left 0
lost=$(process_of 1)
kill -STOP "$lost"  # so that the job is not done before the lock is held
taken=0
flock --nonblock --conflict-exit-code 9 left/checkpoints/lock true || taken=$?
[[ $taken -eq 9 ]] || fail "no member holds the folder: flock ended with code $taken"
(exec -a tandem-run bash -c 'exec {lock}<"$1" {never}<> <(:)
flock --shared "$lock"
echo holds
read -rt 90 -u "$never"' bash "$PWD/left/checkpoints/lock" "$(tr '\0' '\n' <"/proc/$lost/cmdline" | sed -n 2p)" >"$scratch/holder") &
holder=$!
within 60 "the lock to be held" grep -qs holds "$scratch/holder"
kill -KILL "$lost"
ends 300
[[ $code -eq 0 ]] || fail "ended with code $code"
[[ $(events left) == *"training goes on from the last checkpoint"* ]] || fail "other events: $(events left)"
code=0
wait "$holder" 2>/dev/null || code=$?
[[ $code -eq 137 ]] || fail "who held the lock ended with code $code"

# With too few it gives up, keeps its checkpoints, and can be gone on with.
saves_itself few
run tandem run small.yaml --elastic --min 2 --resume --set 'faults.fail=[{rank: 0, at: 1 ms}]' --out few
error_is 1 "1 worker left, fewer than faults.recovery.min_workers, which is 2; go on with --resume once there are more"
succeeds tandem run small.yaml --elastic --resume --out few
[[ $(hash_of few) == "$expected" ]] || fail "gone on with, it ended with other weights"
# What was done by fewer counts for less, also for whoever goes on.
alone=(tandem run small.yaml --elastic --set learning_rate_schedule=cosine "${long[@]}" --out alone)
begin "${alone[@]}"
within 60 "a checkpoint" has_saved_after alone 0
kill -INT "$job"
ends 60
begin "${alone[@]}" --resume --set 'faults.fail=[{rank: 0, at: 1 ms}]'
within 60 "a worker to go on alone" told "goes on" 1
within 60 "it to save itself" has_saved_after alone "$(newest_of alone)"
kill -INT "$job"
ends 60
[[ $code -eq 130 ]] || fail "ended with code $code, interrupted"
no_processes || fail "left processes: $(all_processes)"
succeeds "${alone[@]}" --resume
[[ $(done_until alone "$(newest_of alone)") == 3001 ]] || fail "did the work of $(done_until alone "$(newest_of alone)") iterations of 3001"
(($(newest_of alone) > 3001)) || fail "iterations of one worker count as those of two"
no_processes || fail "left processes: $(all_processes)"

# So does what a run did meanwhile that nobody watched over: 400 iterations of 2 workers are left here, whoever did the others.
saves_itself between
goes_on between '[{rank: 0, at: 0 s}]' --set iterations=100
(($(newest_of between) > 101)) || fail "ends with iteration $(newest_of between), as if nobody had been missing"
at=$(newest_of between)
succeeds tandem run small.yaml --resume --set iterations=$((at + 199)) --out between
[[ $(newest_of between) == $((at + 200)) && $(done_until between $((at + 200))) == 301 ]] ||
  fail "did the work of $(done_until between "$(newest_of between)") iterations until $(newest_of between), not of 301"
succeeds tandem run small.yaml --elastic --resume --set iterations=700 --out between
[[ $(newest_of between) == $((at + 600)) ]] || fail "ends with iteration $(newest_of between), not $((at + 600))"

refuses 2 "*: faults.fail: a real run goes on after that with --elastic alone" \
  tandem run small.yaml --set 'faults.fail=[{rank: 0, at: 1 s}]' --out other
refuses 2 "*faults.fail=*: faults.fail.rank is 9, but the job has 2 members; ranks count from 0" \
  tandem run small.yaml --elastic --set 'faults.fail=[{rank: 9, at: 1 s}]' --out other
refuses 2 "faults.recovery.min_workers is 5, but there are 2 workers; give at most as many" \
  tandem run small.yaml --elastic --set faults.recovery.min_workers=5 --out other
succeeds tandem run small.yaml --elastic --set 'faults.fail=[{rank: 1, at: 1e10 s}]' --set iterations=30 --out never
has_events never $'2 training begins\n2 training is done'
refuses 2 "small.yaml: faults.traffic: a real run can disturb the network of a lab alone; use tandem lab, or tandem simulate" \
  tandem run small.yaml --elastic --set 'faults.traffic=[{source: node-0, destination: node-1, flows: 1}]' --out other
refuses 2 "small.yaml: faults.links: a real run can disturb *; faults.compute, faults.repeats: a real run can't inject that; use tandem simulate, or leave it out" \
  tandem run small.yaml --elastic --set 'faults={links: [{link: x, bandwidth_factor: 0.5}], compute: {distribution: lognormal, sigma: 1}, repeats: 2}' --out other
refuses 2 "*: faults.slow: a real run takes the rank of a worker, *" \
  tandem run small.yaml --set 'faults.slow=[{host: node-0, factor: 2}]' --out other
refuses 2 "*checkpoint_every is 5, but checkpoint.every is 10; leave one of the two out" \
  tandem run small.yaml --elastic --set faults.recovery.checkpoint_every=5 --out other
refuses 2 "-n excludes --max; see*" tandem run small.yaml --elastic --max 2 -n 3 --out other
refuses 2 "*--min*--elastic*" tandem run small.yaml --min 2 --out other
refuses 2 "--min is 3, but there are 2 workers; give at most as many" tandem run small.yaml --elastic --min 3 --out other
# Before anything runs.
refuses 2 "point 2 of 3 (mnist_cnn, ring, 1 worker): faults.fail: host node-1: hosts have no names here; give the rank of a member on it (and likewise 1 point: 3)" \
  tandem run small.yaml --elastic --set 'faults.fail=[{host: node-1, at: 1 s}]' --set sweep.workers='[1, 2]' --out other
