#!/usr/bin/env bash
# Payload simulation and MPI end with bit-identical weights.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
scenario small.yaml
grid=(--set sweep.algorithm='[ring, parameter_server]' --set sweep.workers='[1, 2, 4]')

# hashes FOLDER: a line a point: algorithm, workers, hash of the weights.
hashes() {
  paste -d' ' <(column "$1/summary.csv" algorithm) <(column "$1/summary.csv" workers) \
    <(column "$1/summary.csv" final_weights_hash)
}

succeeds tandem simulate small.yaml --set simulation.depth=payload "${grid[@]}" --out simulated
succeeds tandem run small.yaml "${grid[@]}" --out run
is_result simulated 6
is_result run 6
[[ $(hashes simulated | grep -cE ' [0-9a-f]{16}$') -eq 6 ]] || fail "hashes are missing: $(hashes simulated)"
[[ $(hashes simulated) == "$(hashes run)" ]] || fail "weights differ: $(diff <(hashes simulated) <(hashes run))"
# Another number of workers sees other samples, so equal hashes would say nothing; nor would they if the seed did nothing.
[[ $(hashes run | grep ^ring | cut -d' ' -f3 | sort -u | wc -l) -eq 3 ]] || fail "the hash tells nothing: $(hashes run)"
succeeds tandem run small.yaml --set seed=2 --out seed
! hashes run | grep -q "$(column seed/summary.csv final_weights_hash)" || fail "the seed changes nothing"
# Ranks of one host are a node, as a simulation is told.
succeeds tandem simulate small.yaml --set simulation.depth=payload --set workers=3 \
  --set algorithm='{name: hierarchical, node_size: 3}' --out node
succeeds tandem run small.yaml --set workers=3 --set algorithm=hierarchical --out host
[[ $(hashes node) == "$(hashes host)" ]] || fail "weights differ: $(hashes node), $(hashes host)"
# What `auto` chooses has the bits that it has by itself.
automatic=(--set workers=2 --set algorithm='{name: all_reduce, collective: auto}')
succeeds tandem simulate small.yaml --set simulation.depth=payload "${automatic[@]}" --out chosen
succeeds tandem run small.yaml "${automatic[@]}" --out chosen_run
[[ $(hashes chosen) == "$(hashes chosen_run)" ]] || fail "weights differ: $(hashes chosen), $(hashes chosen_run)"
