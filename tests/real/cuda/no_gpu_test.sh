#!/usr/bin/env bash
# no_gpu_test.sh TANDEM: where no GPU can be used, a run on one is refused in a line.
set -euo pipefail
export CUDA_VISIBLE_DEVICES=-1 OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
code=0
"$1" run demo -n 1 --device cuda --out "$folder/out" >"$folder/stdout" 2>"$folder/stderr" || code=$?
cat "$folder/stderr"
[[ $code -eq 2 ]] || { echo "exit code $code, not 2" >&2; exit 1; }
[[ $(grep -c . "$folder/stderr") -eq 1 ]] || { echo "more than one line" >&2; exit 1; }
[[ ! -e $folder/out/summary.csv ]] || { echo "there are results" >&2; exit 1; }
grep -Eq '^tandem: error: .*device cuda: (there is no GPU|this build was configured without)' "$folder/stderr"

# Nor do its ranks load a library of the GPU's that takes long: it does when it is first called.
! readelf -d "$(dirname "$1")/tandem-run" | grep 'NEEDED.*cublasLt' || { echo "tandem-run loads cuBLASLt as it starts" >&2; exit 1; }

# A comparison that was there stays.
printf '%s\n' '{name: kept, model: sdss_dnn, data: {name: synthetic}, batch_size: 8, algorithm: ring, workers: 1, iterations: 2}' >"$folder/kept.yaml"
compare=("$1" compare "$folder/kept.yaml" --platform gcp_t4 --out "$folder/compared")
"${compare[@]}" >/dev/null
find "$folder/compared" -type f -exec sha256sum {} + | sort >"$folder/before"
code=0
"${compare[@]}" --device cuda >/dev/null 2>"$folder/stderr" || code=$?
cat "$folder/stderr"
[[ $code -eq 2 ]] || { echo "exit code $code of a comparison, not 2" >&2; exit 1; }
find "$folder/compared" -type f -exec sha256sum {} + | sort | diff "$folder/before" -
