#!/usr/bin/env bash
# A model from an ONNX file trains as the zoo's does, in both worlds, and both write traces of what their members did.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
scenario small.yaml
models=$(dirname "$(realpath "$0")")/../core/interchange/onnx/models
hash() { column "$1/summary.csv" final_weights_hash; }

succeeds tandem simulate small.yaml --set simulation.depth=payload --out zoo
succeeds tandem simulate small.yaml --set simulation.depth=payload --set model="$models/mnist_cnn.onnx" --chakra --out simulated
succeeds tandem run small.yaml --set model="$models/mnist_cnn.onnx" --chakra --out run
[[ $(hash zoo) =~ ^[0-9a-f]{16}$ ]] || fail "no hash: $(hash zoo)"
[[ $(hash simulated) == "$(hash zoo)" ]] || fail "imported, it ends with other weights: $(hash simulated), not $(hash zoo)"
[[ $(hash run) == "$(hash zoo)" ]] || fail "for real, it ends with other weights: $(hash run), not $(hash zoo)"
[[ $(column simulated/summary.csv iteration_s) == "$(column zoo/summary.csv iteration_s)" ]] ||
  fail "it takes another time: $(column simulated/summary.csv iteration_s), not $(column zoo/summary.csv iteration_s)"

for folder in simulated run; do
  [[ $(names $folder/chakra) == "small.0.et small.1.et" ]] || fail "$folder/chakra holds $(names $folder/chakra)"
  grep -aq "conv1.*forward" "$folder"/chakra/small.1.et || fail "$folder/chakra/small.1.et names no kernel"
done
succeeds tandem simulate small.yaml --set sweep.workers='[1, 2]' --chakra --out simulated
[[ $(names simulated/chakra) == "small-1.0.et small-2.0.et small-2.1.et" ]] || fail "a sweep's are $(names simulated/chakra)"
succeeds tandem simulate small.yaml --out simulated
is_result simulated 1  # an older result's traces are gone

head -c 1500 "$models/mnist_cnn.onnx" >cut.onnx
for command in check $(scenario_commands); do
  refuses 2 "--set model=cut.onnx: cut.onnx: is no ONNX model, or a damaged or incomplete one (*)" \
    tandem "$command" small.yaml --set model=cut.onnx
done
refuses 2 "--set model=small.onnx: small.onnx: there is no such file" tandem check small.yaml --set model=small.onnx
