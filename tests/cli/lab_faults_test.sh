#!/usr/bin/env bash
# What faults do to the network is done to a lab's, and undone.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
scenario small.yaml

refuses 2 "small.yaml: faults.links: a real run can disturb the network of a lab alone; use tandem lab, or tandem simulate" \
  tandem run small.yaml --set 'faults.links=[{link: h1_link, bandwidth_factor: 0.5}]'
refuses 2 "small.yaml: faults.fail: a real run can disturb the network of a lab alone; use tandem lab, or tandem simulate" \
  tandem run small.yaml --elastic --set 'faults.fail=[{rank: 1, at: 1 s, kind: partition}]'
refuses 2 "*: there is no kind 'crush'; did you mean 'crash'? Known: crash, partition" tandem check small.yaml --set 'faults.fail=[{rank: 1, at: 1 s, kind: crush}]'

# shellcheck source=tests/cli/lab_lib.sh
. "$(dirname "$0")/lab_lib.sh"
succeeds tandem lab up --hosts 3 --rate '40 Mbit/s'
# shaped HOST: the rates of both ways of its wire.
shaped() { for at in "tdm-$TANDEM_LAB-$1 eth0" "tdm-$TANDEM_LAB-net $1"; do
  # shellcheck disable=SC2086  # two words
  set -- $at "$1"
  tc -n "$1" qdisc show dev "$2" | sed -n 's/.* rate \([^ ]*\) .*/\1/p'
done | xargs; }
as_made() {
  for host in h1 h2 h3; do [[ $(shaped $host) == "40Mbit 40Mbit" ]] || fail "$host is left at $(shaped $host)"; done
  ! ip -n "tdm-$TANDEM_LAB-net" -d link show | grep -q "state disabled" || fail "a host is left cut off"
  [[ ! -e /run/tandem-lab/$TANDEM_LAB.disturbed ]] || fail "left a mark"
}
# slowed FOLDER ARGUMENT...: its iterations take as many times as long as calm's as a simulation on the lab's own platform says.
# That knows no overheads, which are in both; 15 % is what a machine with other work on it may add.
slowed() {
  local out=$1 ratios
  shift
  succeeds tandem lab run small.yaml "${paced[@]}" "$@" --out "$out"
  built tandem-simulate || return 0
  succeeds tandem simulate small.yaml "${paced[@]}" --platform "/run/tandem-lab/$TANDEM_LAB.xml" "$@" --out "predicted_$out"
  ratios=$(for world in "" predicted_; do
    paste -d' ' <(column "$world$out/summary.csv" iteration_s) <(column "${world}calm/summary.csv" iteration_s) | awk '{ print $1 / $2 }'
  done | xargs)
  echo "$out takes so many times as long as calm, measured and predicted: $ratios"
  awk '{ exit !($1 > 0.85 * $2 && $1 < 1.15 * $2) }' <<<"$ratios" || fail "$out takes $ratios times as long as calm, measured and predicted"
}

# The network bounds a device that only waits.
paced=(--device paced:k80 --set data=synthetic --set model=mnist_cnn --set workers=2 --set iterations=40 --set warmup_iterations=10)
slowed calm
slowed narrow --set 'faults.links=[{link: h2_link_UP, bandwidth_factor: 0.25}]'
as_made
# From the first iteration on.
succeeds tandem lab run small.yaml "${paced[@]}" --set warmup_iterations=0 --set iterations=5 --set 'faults.links=[{link: h2_link_UP, bandwidth_factor: 0.25}]' --out at_once
column at_once/iterations.csv iteration_s >each
awk -v usual="$(column narrow/summary.csv iteration_s)" '$1 > usual / 2 { ++slowed } END { exit !(NR == 5 && slowed == NR) }' each ||
  fail "some iterations are not slowed: $(column at_once/iterations.csv iteration_s | xargs)"
# Nobody else is measured on that.
begin tandem lab run small.yaml "${paced[@]}" --set iterations=100000 --set 'faults.links=[{link: h2_link_UP, bandwidth_factor: 0.25}]' --out long
is_disturbed() { [[ -e /run/tandem-lab/$TANDEM_LAB.disturbed ]] || job_has_ended; }
within 60 "the network to be disturbed" is_disturbed
run tandem lab run small.yaml "${paced[@]}" --out second
error_is 2 "*another job disturbs the network of lab $TANDEM_LAB now; wait for its end, or take another lab"
kill -INT "$job"
ends 60
[[ $code -eq 130 ]] || fail "ended with code $code, interrupted"
as_made
slowed busy --set 'faults.traffic=[{source: h1, destination: h2, flows: 1}]'
slowed messages --set 'faults.traffic=[{source: h1, destination: h2, bytes: 250 kB, every: 70 ms}]'
as_made

# Traffic that does not get through is no traffic that was there.
ip -n "tdm-$TANDEM_LAB-h3" route add prohibit 10.99.0.1
run tandem lab run small.yaml "${paced[@]}" --set 'faults.traffic=[{source: h3, destination: h1, flows: 1}]' --set iterations=100000 --out none
error_is 1 "faults.traffic: the connection from h3 to h1 ended: Permission denied"
ip -n "tdm-$TANDEM_LAB-h3" route del prohibit 10.99.0.1
as_made

refuses 2 "faults.links: lab $TANDEM_LAB has no link 'h2_lnk'; the nearest is 'h2_link'" \
  tandem lab run small.yaml --set 'faults.links=[{link: h2_lnk, bandwidth_factor: 0.5}]' --out wrong
refuses 2 "faults.traffic.source: lab $TANDEM_LAB has no host 'h9'; the nearest is 'h1'" \
  tandem lab run small.yaml --set 'faults.traffic=[{source: h9, destination: h2, flows: 1}]' --out wrong
refuses 2 "small.yaml: faults.links: a lab can change bandwidths, but no latencies; leave latency_factor out" \
  tandem lab run small.yaml --set 'faults.links=[{link: h2_link, latency_factor: 3}]' --out wrong
as_made

# A job whose launcher was killed leaves its network disturbed; the next one in the lab finds it as it was made.
touch "/run/tandem-lab/$TANDEM_LAB.disturbed"
tc -n "tdm-$TANDEM_LAB-h1" qdisc change dev eth0 root tbf rate 1mbit burst 20k latency 100ms
succeeds tandem lab run small.yaml "${paced[@]}" --out mended
as_made

# Partitions: one that passes before anybody gives up holds the job up; for one that stays, it goes on without.
events() { python3 -c 'import json, sys
for event in json.load(open(sys.argv[1]))["points"][0]["environment"]["failures"]: print(event["workers"], event["event"])' "$1/run.json"; }
training=(--elastic --max 3 --set iterations=60 --set checkpoint.every=10 --set 'timeout=6 s')
succeeds tandem lab run small.yaml "${training[@]}" --set 'faults.fail=[{rank: 1, at: 500 ms, back: 1500 ms, kind: partition}]' --out passing
[[ $(events passing) == $'3 training begins\n3 rank 1 was cut off for a while\n3 training is done' ]] || fail "other events: $(events passing)"
# For 6 s at most, after which the others would have given up.
awk -v held="$(sed -n 's/.*,partitions,\([^,]*\),.*/\1/p' passing/lost.csv)" 'BEGIN { exit !(held > 0.9 && held < 6) }' ||
  fail "held up otherwise: $(<passing/lost.csv)"
as_made
# A first checkpoint, so that there is one however slow the first iterations after --resume are.
saves_itself() { succeeds tandem lab run small.yaml "${training[@]}" --set iterations=10 --out "$1"; }
saves_itself staying
succeeds tandem lab run small.yaml "${training[@]}" --resume --set 'faults.fail=[{rank: 1, at: 500 ms, kind: partition}]' --out staying
[[ $(events staying) == $'3 training begins\n2 rank 1 is cut off\n2 training goes on from the last checkpoint\n2 training is done' ]] ||
  fail "other events: $(events staying)"
as_made

# One that is over, but for which the others have waited too long by then: messages are tried again after 3 s, and after 6.2.
# Nobody writes a checkpoint meanwhile, for which others wait without end.
saves_itself over
succeeds tandem lab run small.yaml "${training[@]}" --resume --set checkpoint.every=1000 --set 'timeout=5 s' --set 'faults.fail=[{rank: 1, at: 500 ms, back: 5 s, kind: partition}]' --out over
[[ $(events over) == $'3 training begins\n2 rank 1 is cut off\n3 training goes on from the last checkpoint\n3 training is done' ]] ||
  fail "other events: $(events over)"
[[ $(<"$scratch/stdout") == *"s: rank 1 is cut off"*"s: training goes on"* && $(<"$scratch/stdout") != *deadlock* ]] || fail "told otherwise: $(<"$scratch/stdout")"
as_made

# A host that nobody announced to be gone.
begin tandem lab run small.yaml "${training[@]}" --set iterations=200 --out gone
within 60 "training to begin" trains gone 0
bridge -n "tdm-$TANDEM_LAB-net" link set dev h2 state 0
ends 300
[[ $code -eq 0 ]] || fail "ended with code $code"
[[ $(events gone) == *"2 host h2 can't be reached"* ]] || fail "other events: $(events gone)"
bridge -n "tdm-$TANDEM_LAB-net" link set dev h2 state 3

# Whether it is back is asked beside a job whose network is disturbed, too.
told() { grep -qs "$1" "$scratch/stdout" || job_has_ended; }
begin tandem lab run small.yaml "${training[@]}" --set iterations=1000000 --set 'faults.links=[{link: h1_link, bandwidth_factor: 0.5}]' --out returning
within 60 "training to begin" trains returning 0
address=$(ip -n "tdm-$TANDEM_LAB-h2" -o -4 address show eth0 | awk '{ print $4 }')
ip -n "tdm-$TANDEM_LAB-h2" address del "$address" dev eth0
within 120 "the others to go on" told "training goes on\|training starts over"
ip -n "tdm-$TANDEM_LAB-h2" address add "$address" dev eth0
within 120 "the host to take part again" told "takes part"
kill -INT "$job"
ends 60
[[ $code -eq 130 ]] || fail "ended with code $code, interrupted"
as_made
succeeds tandem lab down
