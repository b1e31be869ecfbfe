#!/usr/bin/env bash
# tandem run on GPUs: trains, by every precision, and result files say on what.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
for precision in fp32 tf32 fp16 bf16; do
  tandem run demo -n 2 --device cuda --set precision=$precision --set iterations=5 --out "$folder/$precision" >/dev/null
  grep -q '"cuda": "CUDA ' "$folder/$precision/run.json" || { echo "run.json does not name CUDA" >&2; exit 1; }
done
tandem calibrate demo --device cuda --out "$folder/calibration" >/dev/null
ls "$folder"/calibration/devices/*_cuda.yaml
