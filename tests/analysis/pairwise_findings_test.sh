#!/usr/bin/env bash
# pairwise_findings_test.sh BIN PYTHON: the report's 20 rows, on MNIST where it is given, in under a quarter of an hour.
here=$(cd "$(dirname "$0")" && pwd)
python=$2
data=${TANDEM_DATA:-}
# shellcheck source=tests/cli/lib.sh
. "$here/../cli/lib.sh"
[[ -e $data/mnist ]] || skip "TANDEM_DATA names no folder with mnist"
export TANDEM_DATA=$data

patience=880
succeeds tandem simulate pairwise_mnist --out out
"$python" -B "$here/pairwise_findings_test.py" out
