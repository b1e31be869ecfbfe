#!/usr/bin/env bash
# Whether this user can make labs on this machine: it takes root, ip and tc, network namespaces and the tbf shaper.
set -euo pipefail
exec &>/dev/null
[[ $(id -u) -eq 0 ]]
probe=tdm-probe-$$
ip netns add $probe
trap 'ip netns del $probe' EXIT
ip -n $probe link add name p0 type veth peer name p1
ip -n $probe link add name p2 type bridge
tc -n $probe qdisc add dev p0 root tbf rate 1mbit burst 2kb latency 1ms
