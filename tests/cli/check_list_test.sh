#!/usr/bin/env bash
# tandem check and tandem list: what they say of good input.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
scenario small.yaml

# says LINE: the last command's whole answer.
says() { [[ $(<"$scratch/stdout") == "$1" ]] || fail "the answer is not: $1"; }

succeeds tandem check small.yaml
says "small.yaml: no mistakes; 1 point"
succeeds tandem check small.yaml --set sweep.workers='[1, 2, 3]' --set sweep.algorithm='[ring, parameter_server]'
says "small.yaml: no mistakes; 6 points"
mkdir devices
sed 's/value="k80"/value="mine"/' "$(dirname "$0")/../../platforms/gcp_k80.xml" >mine.xml
sed '/^memory_bytes/d; s/^name: .*/name: mine/' "$(dirname "$0")/../../platforms/devices/v100.yaml" >devices/mine.yaml
succeeds tandem check small.yaml --set platform=mine.xml --set device=mine
says "small.yaml: no mistakes; 1 point
the memory of device mine isn't known, so whether the model fits into it wasn't checked; give memory_bytes in the device's profile"
succeeds tandem check thesis_ps_vs_ring
[[ $(<"$scratch/stdout") == */scenarios/thesis_ps_vs_ring.yaml:\ no\ mistakes\;\ 60\ points ]] || fail "the scenario is not found by name"

succeeds tandem list
cp "$scratch/stdout" everything
[[ -z $(awk 'length > 80 && !/\.(xml|yaml)$/' everything) ]] || fail "too wide: $(awk 'length > 80' everything)"
for kind in algorithms datasets devices layers models platforms scenarios topologies; do
  succeeds tandem list $kind
  [[ $(head -1 "$scratch/stdout") == "$kind" && $(wc -l <"$scratch/stdout") -gt 1 ]] || fail "no $kind"
  [[ $(<everything) == *"$(<"$scratch/stdout")"* ]] || fail "tandem list leaves $kind out"
done

# What is listed can be used.
succeeds tandem list models
mapfile -t models < <(awk 'NR > 1 { print $1 }' "$scratch/stdout")
for model in "${models[@]}"; do
  succeeds tandem check small.yaml --set batch_size=1 --set model="$model"
done
# And has a name that people read in figures.
succeeds tandem list algorithms
mapfile -t algorithms < <(awk 'NR > 1 { print $1 }' "$scratch/stdout")
PYTHONPATH=$(dirname "$0")/../../analysis python3 -B - "${models[*]}" "${algorithms[*]}" <<'END' || fail "a name is not known to the figures"
import sys
import names
for read, listed in ((names.model, sys.argv[1]), (names.algorithm, sys.argv[2])):
    unknown = [name for name in listed.split() if read(name) == name and name != "pipeline" or "_" in read(name)]
    if unknown:
        sys.exit(f"without a name: {unknown}")
END
figures='bandwidth: 1 GB/s, latency: 5 us, device: k80'
gpus='gpus: 4, node_bandwidth: 10 GB/s, node_latency: 1 us'
declare -A keys=([star]="" [cluster]=", rack_size: 2, uplink_bandwidth: 1 GB/s" [fat_tree]=", children: [2, 2]"
  [torus]=", dimensions: [4]" [dragonfly]=", groups: 2, routers: 2" [gpu_nodes]=", $gpus" [rail_pod]=", $gpus")
succeeds tandem list topologies
mapfile -t topologies < <(awk 'NR > 1 { print $1 }' "$scratch/stdout")
for topology in "${topologies[@]}"; do
  succeeds tandem check small.yaml --set platform="{topology: $topology, $figures${keys[$topology]}}"
done
succeeds tandem --version

# Help fits into a terminal of 80 columns.
succeeds tandem --help
mapfile -t commands < <(awk '/^$/ { at = 0 } at && /^  [a-z]/ { print $1 } /^Subcommands:/ { at = 1 }' "$scratch/stdout")
[[ ${#commands[@]} -ge 7 ]] || fail "no commands are listed: ${commands[*]}"
for command in "" "${commands[@]}"; do
  succeeds tandem ${command:+"$command"} --help
  grep -qE '^(Examples?|Begin with):' "$scratch/stdout" || fail "the help of '$command' has no example"
  [[ -z $(awk 'length > 80' "$scratch/stdout") ]] || fail "too wide: $(awk 'length > 80' "$scratch/stdout")"
done

succeeds tandem compare --help
grep -qF -e '--lab[=NAME]' "$scratch/stdout" || fail "the help does not say that --lab may name one: $(grep -e --lab "$scratch/stdout")"
succeeds tandem lab run --help
grep -q '^Example:' "$scratch/stdout" || fail "the help of lab run has no example"

# What is long goes on in the next line between words on a terminal, and there alone.
on_terminal() {
  python3 -c 'import pty, sys; sys.exit(pty.spawn(sys.argv[1:]) >> 8)' "$@" </dev/null | tr -d '\r' >"$scratch/stdout" || true
  [[ -z $(awk 'length > 80 && / /' "$scratch/stdout") ]] || fail "too wide: $(awk 'length > 80' "$scratch/stdout")"
}
refuses 2 "--set algorithm=rign: there is no algorithm *; did you mean *Known: *" tandem check small.yaml --set algorithm=rign
on_terminal tandem check small.yaml --set algorithm=rign
[[ $(wc -l <"$scratch/stdout") -gt 1 && $(xargs -d '\n' <"$scratch/stdout") == "$(<"$scratch/stderr")" ]] || fail "other words on a terminal"

# Every kind of figure is one that the help names.
succeeds tandem plot --help
named=$(sed -n '/^ *KIND TEXT/,/^ *RESULT TEXT/p' "$scratch/stdout" | sed 's/KIND TEXT REQUIRED//; /RESULT TEXT/d; s/ or /, /' | tr -d '\n ' | tr , '\n' | sort | xargs)
there=$(sed -n '/^KINDS = {/,/^}/s/^ *"\([a-z_]*\)":.*/\1/p' "$(dirname "$0")/../../analysis/figures/__init__.py" | sort | xargs)
[[ -n $there && $named == "$there" ]] || fail "the help names $named, but there are $there"
