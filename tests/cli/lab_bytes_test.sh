#!/usr/bin/env bash
# What the workers' network cards send is what tandem says they do, and the headers of the frames that it is in.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/cli/lab_lib.sh
. "$(dirname "$0")/lab_lib.sh"
scenario small.yaml
succeeds tandem lab up --hosts 3 --rate '1 Gbit/s'

# Bytes that the shaper of a host has let out, each segment's headers included.
sent() { tc -s -j -n "tdm-$TANDEM_LAB-$1" qdisc show dev eth0 | python3 -c 'import json, sys; print(json.load(sys.stdin)[0]["bytes"])'; }

# iterations N WORKERS ALGORITHM: bytes that the workers' hosts send in a run of N, and that the workers do, launch included.
iterations() {
  local before=0 after=0 host
  for ((host = 1; host <= $2; ++host)); do before=$((before + $(sent h$host))); done
  succeeds tandem lab run small.yaml --device paced:k80 --set iterations="$1" --set algorithm="$3" -n "$2" --out out
  for ((host = 1; host <= $2; ++host)); do after=$((after + $(sent h$host))); done
  wire=$((after - before))
  payload=$(awk -v each="$(column out/summary.csv sent_bytes_per_worker)" -v n="$2" 'BEGIN { printf "%.0f", each * n }')
}

# agree WORKERS ALGORITHM: launching is in a short run and in a long one alike, so it is not in their difference. A segment
# of 1448 bytes has 66 of headers; an acknowledgement, 66 bytes for two segments at most, goes the other way.
agree() {
  iterations 10 "$@"
  local short_wire=$wire short_payload=$payload
  iterations 110 "$@"
  awk -v wire=$((wire - short_wire)) -v payload=$((payload - short_payload)) -v what="$2 with $1 workers" 'BEGIN {
    least = payload * 1514 / 1448
    printf "%s: %d bytes of payload, %d on the wire: %.2f %% above the full frames of it\n", what, payload, wire, 100 * (wire / least - 1)
    exit !(payload > 1e6 && wire > 0.98 * least && wire < 1.02 * (least + payload / 1448 / 2 * 66)) }' ||
    fail "the wire does not carry what is counted"
}

agree 2 ring
agree 3 ring
agree 2 parameter_server
agree 3 '{name: pairwise_averaging, passes: 1}'
for stage in 1 2 3; do agree 2 "{name: zero, stage: $stage}"; done

# Nothing is lost where several hosts send to one for longer than the queue of its wire would last if they did not stop.
succeeds tandem lab down
succeeds tandem lab up --hosts 4 --rate '100 Mbit/s'
succeeds tandem lab run small.yaml --device paced:k80 --set model=mobilenet_v2 --set iterations=1 --set warmup_iterations=0 --set algorithm=parameter_server -n 3 --out lossless
lost() { tc -s -j -n "tdm-$TANDEM_LAB-net" qdisc show dev "$1" | python3 -c 'import json, sys; print(json.load(sys.stdin)[0]["drops"])'; }
for wire in h1 h2 h3 h4; do
  [[ $(lost $wire) == 0 ]] || fail "the wire to $wire lost $(lost $wire) packets"
done
