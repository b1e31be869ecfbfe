#!/usr/bin/env bash
# The fused executor predicts what the exact one does, on a platform where it may be used.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
scenario small.yaml
for executor in exact fused; do
  succeeds tandem simulate small.yaml --set model=resnet50 --set sweep.workers='[2, 4, 8]' \
    --set simulation.executor=$executor --out $executor
  is_result $executor 4
  [[ $(grep -c "\"executor\": \"$executor\"" $executor/run.json) -ge 3 ]] || fail "$executor/run.json tells of another executor"
done

# Ten digits: the two add the same times in another order.
digits() { awk -F, -v OFS=, '{ for (i = 1; i <= NF; ++i) if ($i ~ /^[0-9.e+-]+$/) $i = sprintf("%.10g", $i); print }' "$1"; }
diff <(digits exact/summary.csv) <(digits fused/summary.csv) >"$scratch/stdout" || fail "the summaries differ"
