# shellcheck shell=bash
# What the tests of labs share, beside lib.sh: they skip where this machine or user can make none.

# A lab of this test's own, whatever else is up.
export TANDEM_LAB=test$$

can_make_labs() {
  local probe=tdm-probe-$$ code=0
  [[ $(id -u) -eq 0 ]] || return 1
  ip netns add $probe || return 1
  ip -n $probe link add name p0 type veth peer name p1 && tc -n $probe qdisc add dev p0 root tbf rate 1mbit burst 2kb latency 1ms &&
    ip -n $probe link add name p2 type bridge || code=1
  ip netns del $probe
  return $code
} &>/dev/null

can_make_labs || skip "no lab can be made here: it takes root, ip and tc, network namespaces and the tbf shaper"
trap 'for lab in "$TANDEM_LAB" "${TANDEM_LAB}b"; do tandem lab down --name "$lab" &>/dev/null || true; done; end_what_was_started; rm -rf "$scratch"' EXIT

# namespaces [LAB]: how many a lab has.
namespaces() { ip netns list | grep -cE "^tdm-${1:-$TANDEM_LAB}-(net|h[0-9]+)\b" || true; }
