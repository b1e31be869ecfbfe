#!/usr/bin/env bash
# A sweep that fails part-way keeps the points that were finished, and says so.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
scenario small.yaml

# keeps FOLDER ROWS CODE PATTERN COMMAND...: COMMAND is refused, but a result of ROWS points is in FOLDER.
keeps() {
  local folder=$1 rows=$2 expected=$3 pattern=$4
  shift 4
  echo "keeps: $*"
  run "$@"
  error_is "$expected" "$pattern"
  is_unfinished "$folder" "$rows"
}

if built tandem-simulate; then
  succeeds tandem simulate small.yaml --out out
  # Too little memory and too few hosts show before anything is run, so an earlier result stays as it is.
  memory="*needs * GB*GB short*"
  refuses 2 "point 2 of 2 (mnist_cnn, ring, 2 workers): $memory" \
    tandem simulate small.yaml --out out --set sweep.batch_size='[8, 1000000]'
  refuses 2 "point 2 of 4 (*): $memory (and likewise 2 points: 3-4)" \
    tandem simulate small.yaml --out out --set sweep.batch_size='[8, 1000000, 2000000, 3000000]'
  hosts="platform */gcp_k80.xml: has 8 hosts, but the scenario has 9 members*"
  refuses 2 "point 3 of 3 (mnist_cnn, ring, 9 workers): $hosts" \
    tandem simulate small.yaml --out out --set sweep.workers='[2, 9]'
  refuses 2 "point 3 of 3 (mnist_cnn, ring, 9 workers): $hosts" tandem check small.yaml --set sweep.workers='[2, 4, 9]'
  # Each kind of reason is said once.
  refuses 2 "point 2 of 6 (mnist_cnn, ring, 2 workers): $memory (and likewise 1 point: 5); point 3 of 6 (mnist_cnn, ring*9 workers): $hosts (and likewise 1 point: 6)" \
    tandem check small.yaml --set sweep='[{workers: 2}, {batch_size: 1000000}, {workers: 9}, {seed: 2}, {batch_size: 2000000}, {workers: 10}]'
  refuses 2 "point 1 of 2 (mnist_cnn, ring, seed=1, 9 workers): $hosts (and likewise 1 point: 2)" \
    tandem simulate small.yaml --out other --set workers=9 --set sweep.seed='[1, 2]'
fi
if built tandem-run; then
  nowhere='{name: fashion_mnist, path: nowhere}'
  missing="data 'fashion_mnist': there is no nowhere/*"
  keeps measured 1 2 "point 2 of 2 (*): $missing; the 1 of 2 points that were finished are in measured" \
    tandem run small.yaml --out measured --set sweep.data="[synthetic, $nowhere]"
  # An earlier result outlives a run that fails at once.
  rm -r measured/points
  refuses 2 "$missing" tandem run small.yaml --out measured --set data="$nowhere"
fi
if built tandem-simulate && built tandem-run; then
  succeeds tandem compare small.yaml --out compared
  refuses 2 "point 3 of 3 (mnist_cnn, ring, 9 workers): $hosts" \
    tandem compare small.yaml --out compared --set sweep.workers='[2, 9]'
  rm -r compared
  refuses 2 "$missing" tandem compare small.yaml --out compared --set data="$nowhere"
fi
