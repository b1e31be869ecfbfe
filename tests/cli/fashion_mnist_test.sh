#!/usr/bin/env bash
# Both worlds train on real images, and end with the same weights.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
[[ -e /usr/share/datasets/fashion-mnist ]] || skip "the package dataset-fashion-mnist is not installed"
scenario small.yaml
sed -i 's/^data: .*/data: fashion_mnist/; s/^iterations: .*/iterations: 30/' small.yaml

succeeds tandem run small.yaml --out run
succeeds tandem simulate small.yaml --set simulation.depth=payload --out simulated
for quantity in accuracy loss final_weights_hash; do
  measured=$(column run/summary.csv $quantity) predicted=$(column simulated/summary.csv $quantity)
  [[ -n $measured && $measured == "$predicted" ]] || fail "$quantity: '$measured' run, '$predicted' simulated"
done
awk -v accuracy="$(column run/summary.csv accuracy)" 'BEGIN { exit !(accuracy > 0.1) }' ||
  fail "learned nothing: accuracy $(column run/summary.csv accuracy)"
