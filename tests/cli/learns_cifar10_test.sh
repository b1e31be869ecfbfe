#!/usr/bin/env bash
# However CIFAR-10's training is sharded, and in whichever precision, it learns as well: stages of ZeRO end with the weights of
# plain data parallelism, bf16 with others that are as good.
# shellcheck source=tests/cli/lib.sh
data=${TANDEM_DATA:-}
. "$(dirname "$0")/lib.sh"
[[ -e $data/cifar10/test_batch.bin ]] || skip "TANDEM_DATA names no folder with cifar10/test_batch.bin"
export TANDEM_DATA=$data

patience=600  # five trainings
succeeds tandem run deepspeed_cifar10 --out out
cut -d, -f 7,8,25- out/summary.csv
column out/summary.csv accuracy |
  awk '{ if (NR == 1 || $1 < least) least = $1; if ($1 > most) most = $1 }
       END { exit !(NR == 5 && least >= 0.57 && most - least <= 0.01) }' ||
  fail "an accuracy is under 0.57, or two are more than a point apart: $(column out/summary.csv accuracy | xargs)"
[[ $(column out/summary.csv final_weights_hash | sed -n 1,4p | sort -u | wc -l) -eq 1 ]] ||
  fail "ZeRO ends with other weights: $(column out/summary.csv final_weights_hash | xargs)"
