#!/usr/bin/env bash
# Labs come up, run jobs, and go without a trace.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
scenario small.yaml

refuses 2 "unknown option '--hosst'; did you mean '--hosts'?" tandem lab up --hosst 3
refuses 2 "give --hosts, such as --hosts 4, or --tree" tandem lab up
refuses 2 "'extra' is one argument too many" tandem lab up --hosts 2 --rate '1 Gbit/s' extra
refuses 2 "no lab nowhere is up; make one, such as with: tandem lab up --hosts 4 --rate '1 Gbit/s' --name nowhere" \
  tandem lab run small.yaml --name nowhere

# shellcheck source=tests/cli/lab_lib.sh
. "$(dirname "$0")/lab_lib.sh"
before=$(ip link)

# In a user namespace root is nobody; a changed root lets nobody make one.
if unshare --user true; then
  refuses 2 "a lab needs root, for network namespaces; run tandem as root, such as with sudo" \
    unshare --user tandem lab up --hosts 2 --rate '1 Gbit/s' --name "$TANDEM_LAB"
fi

succeeds tandem lab up --hosts 3 --rate '200 Mbit/s' --rate h3='100 Mbit/s'
[[ $(namespaces) -eq 4 ]] || fail "$(namespaces) namespaces, not the switch and 3 hosts"
[[ $(ip link) == "$before" ]] || fail "the machine's own network has changed"
for device in "tdm-$TANDEM_LAB-h3 eth0" "tdm-$TANDEM_LAB-net h3"; do
  # shellcheck disable=SC2086  # two words
  set -- $device
  tc -n "$1" qdisc show dev "$2" | grep -q "tbf .*rate 100Mbit" || fail "$1 $2: $(tc -n "$1" qdisc show dev "$2")"
done
refuses 2 "lab $TANDEM_LAB is up; take it down with: tandem lab down --name $TANDEM_LAB" tandem lab up --hosts 2 --rate '1 Gbit/s'

succeeds tandem lab status --name "$TANDEM_LAB"
[[ $(grep -c ^lab "$scratch/stdout") == 1 && $(<"$scratch/stdout") == "lab $TANDEM_LAB: 3 hosts"* ]] || fail "other labs: $(<"$scratch/stdout")"
refuses 2 "there is no lab 'nowhere'; tandem lab status lists those there are" tandem lab status --name nowhere
refuses 2 "'other' is one argument too many; what --lab takes follows a '=', as in --lab=other" tandem run small.yaml --lab other

# Every member has a host of its own, or shares the one that the scenario says.
hosts() { python3 -c 'import json; print(*json.load(open("out/run.json"))["points"][0]["environment"]["hosts"])'; }
succeeds tandem lab run small.yaml -n 3 --out out
is_result out 1
[[ $(hosts) == "$TANDEM_LAB-h1 $TANDEM_LAB-h2 $TANDEM_LAB-h3" ]] || fail "the hosts were $(hosts)"
python3 - <<'END' || fail "a host has other processors than every third"
import json, os
cores = json.load(open("out/run.json"))["points"][0]["environment"]["cores"]
assert cores == len(range(0, len(os.sched_getaffinity(0)), 3)), cores
END
run flock --shared "/run/tandem-lab/$TANDEM_LAB.used" tandem lab run small.yaml -n 3 --out beside
[[ $code -eq 0 && $(<"$scratch/stderr") == *"tandem: warning: another command worked in lab $TANDEM_LAB meanwhile: they shared its wires and "* ]] ||
  fail "does not say that somebody else works in the lab"
succeeds tandem run small.yaml --lab --set algorithm='{name: parameter_server, placement: workers}' --out out
[[ $(hosts) == "$TANDEM_LAB-h1 $TANDEM_LAB-h2 $TANDEM_LAB-h1" ]] || fail "the hosts were $(hosts)"
refuses 2 "lab $TANDEM_LAB has 3 hosts, but the run takes 4; make a larger lab, or take fewer workers" \
  tandem lab run small.yaml -n 4 --out more
refuses 2 "point 3 of 3 (mnist_cnn, ring, 4 workers): lab $TANDEM_LAB has 3 hosts, but the run takes 4*" \
  tandem lab run small.yaml --set sweep.workers='[2, 4]' --out out
refuses 2 "--name excludes --all; see*" tandem lab down --all --name other
refuses 2 "no lab other is up; make one*" tandem run small.yaml --lab=other --out more

# The lab's connections have four trains under way at most, of 16 kB with their headers.
run tandem calibrate small.yaml --lab --device paced:k80 --out calibrated
[[ $code -eq 0 ]] || fail "ended with code $code"
grep -qx 'sending:' calibrated/calibration.yaml || fail "nobody knows how long senders are busy"
grep -qx 'pairs:' calibrated/calibration.yaml || fail "nobody knows how late shapers are"
# Of two processors the third host shares the first's.
if [[ $(env -u OMP_NUM_THREADS nproc) -eq 2 ]]; then
  grep -qx 'one_way_sharing:' calibrated/calibration.yaml || fail "nobody knows what sharing a processor costs"
else
  grep -qx 'one_way_sharing:' calibrated/calibration.yaml && fail "the first host shares no processor with the third alone"
fi
grep -qx 'train_bytes: 14480' calibrated/calibration.yaml || fail "trains are of $(grep train_bytes calibrated/calibration.yaml)"
awk '/^window_bytes: / { is_sound = $2 > 40000 && $2 <= 64000 } END { exit !is_sound }' calibrated/calibration.yaml ||
  fail "a window is of $(grep window_bytes calibrated/calibration.yaml)"

# The prediction is of the lab's own platform, and of the same bytes.
succeeds tandem compare small.yaml --lab --device k80 --out compared
grep -qE "^ring,mnist_cnn,2,sent_bytes_per_worker,([0-9.e+]+),\1,0," compared/comparison.csv ||
  fail "the worlds send different amounts: $(<compared/comparison.csv)"
for host in 1 2; do
  grep -q "^ring,mnist_cnn,2,$((host - 1)),worker,iteration_s,.*,$TANDEM_LAB-h$host$" compared/members.csv ||
    fail "rank $((host - 1)) is not told to be on h$host: $(<compared/members.csv)"
done
grep -q "\"/run/tandem-lab/$TANDEM_LAB.xml\"" compared/predicted/run.json || fail "predicted on another platform"

# A calibration of this lab is no news, but one of another is.
succeeds tandem compare small.yaml --lab --platform calibrated/platform.xml --device paced:k80 --out compared
grep -q warning "$scratch/stderr" && fail "warns of the lab's own platform: $(<"$scratch/stderr")"
sed '/h3_link_UP" b/s/bandwidth="[^"]*"/bandwidth="1MBps"/' calibrated/platform.xml >calibrated/other.xml
run tandem compare small.yaml --lab --platform calibrated/other.xml --device paced:k80 --out compared
[[ $code -eq 0 && $(<"$scratch/stderr") == "tandem: warning: platform calibrated/other.xml: h3_link_UP is not as in lab $TANDEM_LAB;"* ]] ||
  fail "another lab's platform: code $code, $(<"$scratch/stderr")"

# Two labs do not meet: they have the same addresses.
other=${TANDEM_LAB}b
succeeds tandem lab up --name "$other" --tree 2x1 --rate '1 Gbit/s' --uplink '500 Mbit/s'
for device in up1 down1; do
  tc -n "tdm-$other-net" qdisc show dev "$device" | grep -q "tbf .*rate 500Mbit" || fail "$device: $(tc -n "tdm-$other-net" qdisc show dev "$device")"
done
succeeds tandem lab run small.yaml --name "$other" --out out
[[ $(hosts) == "$other-h1 $other-h2" ]] || fail "the hosts were $(hosts)"
succeeds tandem lab down --name "$other"
[[ $(namespaces "$other") -eq 0 && $(namespaces) -eq 4 ]] || fail "taking one lab down took another's: $(ip netns list)"

# What runs in a lab ends with it.
sweep=(tandem lab run small.yaml -n 1 --set sweep.iterations='[3, 1000000]' --out endless)
begin "${sweep[@]}"
within 60 "the work to begin" trains endless 1
tandem lab down >/dev/null || fail "the lab does not go down under a run"
ends 30
[[ $code -ne 0 ]] || fail "a run without its lab succeeded"
no_processes || fail "left processes: $(all_processes)"
[[ $(namespaces) -eq 0 ]] || fail "left namespaces: $(ip netns list)"
refuses 2 "there is no lab '$TANDEM_LAB'; tandem lab status lists those there are" tandem lab down

# A crash leaves something, which the next lab of that name removes; so does one that is interrupted.
ip netns add "tdm-$TANDEM_LAB-h7"
succeeds tandem lab status
grep -q "^lab $TANDEM_LAB: left over" "$scratch/stdout" || fail "the left-over is not listed"
succeeds tandem lab up --hosts 1 --rate '1 Gbit/s'
[[ $(namespaces) -eq 2 ]] || fail "the left-over is still there: $(ip netns list)"
# What a sweep did in one lab is no part of it in another of that name.
refuses 2 "endless/points holds 1 point of a sweep that is not finished, and none is of this one*" "${sweep[@]}"
succeeds tandem lab down
begin tandem-lab up --hosts 200 --rate '1 Gbit/s'
some_are_there() { [[ $(namespaces) -gt 2 ]]; }
within 60 "the lab to begin" some_are_there
kill -TERM "$job"
ends 30
error_is 1 "interrupted; the lab was not made"
[[ $(namespaces) -eq 0 ]] || fail "left namespaces: $(ip netns list)"
[[ $(ip link) == "$before" ]] || fail "the machine's own network has changed"
