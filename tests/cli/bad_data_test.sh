#!/usr/bin/env bash
# A data file that is missing, cut short or of another kind: one line that names the file, wherever it is read.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
scenario small.yaml
sed -i 's/^data: .*/data: {name: fashion_mnist, path: images}/' small.yaml
payload=(--set simulation.depth=payload)

# commands_refuse PATTERN: each command that reads the data does. A prediction of times alone reads none.
commands_refuse() {
  if built tandem-simulate; then
    refuses 2 "$1" tandem simulate small.yaml "${payload[@]}" --out out
    refuses 2 "$1" tandem compare small.yaml "${payload[@]}" --out out
  fi
  refuses 2 "$1" tandem run small.yaml --out out
  refuses 2 "$1" tandem calibrate small.yaml --out out
}

# idx FILE DIMENSIONS COUNT...: an IDX file of zeros, so many values along each dimension.
idx() {
  local file=$1 kind=$2 dimension values=1
  shift 2
  {
    printf '\0\0\x08%b' "\\x0$kind"
    for dimension in "$@"; do
      printf '\0\0\0%b' "$(printf '\\x%02x' "$dimension")"
      values=$((values * dimension))
    done
    head -c $values /dev/zero
  } >"$file"
}

commands_refuse "data 'fashion_mnist': there is no images/train-images-idx3-ubyte[[].gz]; set data.path*"

mkdir images
for split in train t10k; do
  idx images/$split-images-idx3-ubyte 3 64 28 28
  idx images/$split-labels-idx1-ubyte 1 64
done
gzip images/train-images-idx3-ubyte
cp images/train-images-idx3-ubyte.gz whole.gz
head -c $(($(stat -c %s whole.gz) - 4)) whole.gz >images/train-images-idx3-ubyte.gz
commands_refuse "images/train-images-idx3-ubyte.gz: is truncated: its gzip stream ends early*"

echo "no image" | gzip >images/train-images-idx3-ubyte.gz
refuses 2 "images/train-images-idx3-ubyte.gz: is no IDX file of images*" tandem run small.yaml --out out

cp whole.gz images/train-images-idx3-ubyte.gz
rm images/t10k-labels-idx1-ubyte
refuses 2 "data 'fashion_mnist': there is no images/t10k-labels-idx1-ubyte[[].gz]*" tandem run small.yaml --out out

# The data is good again, so it was the data.
idx images/t10k-labels-idx1-ubyte 1 64
succeeds tandem run small.yaml --out out
