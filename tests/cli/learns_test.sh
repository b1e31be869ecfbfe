#!/usr/bin/env bash
# Training for real learns: what the scenarios promise of their accuracy.
# shellcheck source=tests/cli/lib.sh
data=${TANDEM_DATA:-}
. "$(dirname "$0")/lib.sh"

# learns SCENARIO LEAST [OPTION...]
learns() {
  succeeds tandem run "$1" --out "$1" "${@:3}"
  awk -v accuracy="$(column "$1/summary.csv" accuracy)" -v least="$2" 'BEGIN { exit !(accuracy >= least) }' ||
    fail "$1: accuracy $(column "$1/summary.csv" accuracy), not $2"
  echo "$1: accuracy $(column "$1/summary.csv" accuracy)"
}

[[ -e /usr/share/datasets/fashion-mnist ]] || skip "the package dataset-fashion-mnist is not installed"
learns fashion_mnist 0.85
if [[ -e $data/train-images-idx3-ubyte.gz || -e $data/mnist ]]; then
  export TANDEM_DATA=$data
  learns mnist 0.988
  if [[ -e $data/sdss ]]; then
    learns sdss 0.97
    learns sdss 0.70 --set data.features='[u, g, r, i, z]' --set model.input='[5, 1, 1]'
  fi
else
  echo "MNIST: not looked at, since TANDEM_DATA names no folder with it"
fi
