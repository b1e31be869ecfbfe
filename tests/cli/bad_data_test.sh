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

# A check looks at files that are there, and lets those be that may be elsewhere.
for split in train t10k; do
  idx images/$split-images-idx3-ubyte 3 64 14 14
done
rm images/train-images-idx3-ubyte.gz
unfit="model mnist_cnn takes samples of 1x28x28, but data fashion_mnist has 1x14x14; set model.input to the data's shape*"
refuses 2 "$unfit" tandem check small.yaml
refuses 2 "$unfit" tandem run small.yaml --out out
succeeds tandem check small.yaml --set data.path=elsewhere

# What is known of a data set wherever it is, commands that have not read it say too.
unfit="model mnist_cnn takes samples of 1x28x28, but data cifar10 has 3x32x32; set model.input*"
refuses 2 "$unfit" tandem check small.yaml --set data=cifar10
refuses 2 "$unfit" tandem run small.yaml --set data=cifar10
! built tandem-simulate || refuses 2 "$unfit" tandem simulate small.yaml --set data=cifar10
refuses 2 "point 2 of 2 (sdss_dnn, ring, 2 workers): model sdss_dnn takes samples of 9x1x1, but data fashion_mnist has 1x28x28*" \
  tandem check small.yaml --set data=fashion_mnist --set sweep.model='[mnist_cnn, sdss_dnn]'

# The data is good again, so it was the data.
for split in train t10k; do
  idx images/$split-images-idx3-ubyte 3 64 28 28
done
idx images/t10k-labels-idx1-ubyte 1 64
succeeds tandem run small.yaml --out out

# CIFAR-10 and SDSS, which have formats of their own.
sed -i 's/^data: .*/data: {name: cifar10, path: cifar}/; s/^model: .*/model: cifar10_cnn/' small.yaml
commands_refuse "data 'cifar10': there is no cifar/data_batch_1.bin[[].gz]; set data.path*"
mkdir cifar
for file in data_batch_{1..5} test_batch; do
  head -c $((64 * 3073)) /dev/zero >"cifar/$file.bin"
done
succeeds tandem run small.yaml --out out
head -c 3000 /dev/zero >>cifar/data_batch_4.bin
commands_refuse "cifar/data_batch_4.bin: is truncated, or no file of CIFAR-10: its 199672 bytes are no multiple of the 3073 *"

sed -i 's/^data: .*/data: {name: sdss_dr17, path: objects.csv}/; s/^model: .*/model: sdss_dnn/' small.yaml
commands_refuse "data 'sdss_dr17': there is no objects.csv/star_classification.csv[[].gz]; set data.path*"
{
  echo alpha,delta,u,g,r,i,z,class,redshift,MJD
  for object in {1..100}; do
    for class in GALAXY QSO STAR; do
      echo "$object,2,3,4,5,6,7,$class,8,9"
    done
  done
} >objects.csv
succeeds tandem run small.yaml --out out
refuses 2 "model sdss_dnn takes samples of 9x1x1, but data sdss_dr17 has 1x1x1; set model.input to the data's shape*" \
  tandem run small.yaml --set data.features='[u]' --out out
printf '1,2,3' >>objects.csv
commands_refuse "objects.csv:302: has 3 fields, but the header 10; is the file truncated?"

# Text, for a model of tokens.
sed -i 's/^data: .*/data: {name: text, path: lines.txt}/
        s/^model: .*/model: {name: gpt, layers: 1, width: 8, heads: 2, vocabulary: 9, sequence: 16}/' small.yaml
commands_refuse "data 'text': there is no lines.txt/tinyshakespeare.txt[[].gz]; set data.path*"
: >lines.txt
commands_refuse "lines.txt: is empty; it must be a text"
printf 'a line\n%.0s' {1..400} >lines.txt
succeeds tandem run small.yaml --out out
refuses 2 "lines.txt: has 280 tokens to test with; a sample takes 301, one more than model.sequence*" \
  tandem run small.yaml --set model.sequence=300 --set batch_size=1 --out out
refuses 2 "model gpt knows 4 tokens, but data text has 7 different ones; set model.vocabulary to at least 7" \
  tandem run small.yaml --set model.vocabulary=4 --out out
refuses 2 "model mnist_cnn takes no tokens, but data text has nothing else; take a model of tokens*" \
  tandem run small.yaml --set model=mnist_cnn --out out
refuses 2 "model gpt takes tokens, but data fashion_mnist has none; take data text or synthetic" \
  tandem run small.yaml --set data='{name: fashion_mnist, path: images}' --out out
