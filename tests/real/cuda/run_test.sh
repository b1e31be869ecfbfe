#!/usr/bin/env bash
# tandem run on GPUs: trains, by every precision, and result files say on what.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
printf '%s\n' '{name: bits, model: mnist_cnn, data: {name: synthetic}, batch_size: 16, algorithm: ring, workers: 2, iterations: 20}' \
  >"$folder/bits.yaml"
train() {  # train OUT OPTION...
  tandem run "$folder/bits.yaml" --device cuda --out "$folder/$1" "${@:2}"
}

# A ring's, since a parameter server has no 16-bit precision.
for precision in fp32 tf32 fp16 bf16; do
  train $precision --set precision=$precision >/dev/null
  grep -q '"cuda": "CUDA ' "$folder/$precision/run.json" || { echo "run.json does not name CUDA" >&2; exit 1; }
done

# Ranks that share a GPU reach each other's memory, and end with the same weights; NCCL takes a GPU a rank.
for transport in host ipc; do train $transport --set transport=$transport >/dev/null; done
hashes=$(grep -hoE ',[0-9a-f]{16},' "$folder"/{host,ipc}/summary.csv | sort -u)
[[ $(wc -w <<<"$hashes") -eq 1 ]] || { echo "not one hash: $hashes" >&2; exit 1; }
if [[ $(nvidia-smi --list-gpus | wc -l) -eq 1 ]]; then
  code=0
  train nccl --set transport=nccl 2>"$folder/stderr" >/dev/null || code=$?
  cat "$folder/stderr"
  [[ $code -eq 2 ]] || { echo "exit code $code of ranks that share a GPU by NCCL, not 2" >&2; exit 1; }
  grep -q 'transport nccl: each rank needs a GPU of its own, but ranks 0 and 1 have' "$folder/stderr"
fi

tandem calibrate demo --device cuda --out "$folder/calibration" >/dev/null
ls "$folder"/calibration/devices/*_cuda_fp32.yaml
