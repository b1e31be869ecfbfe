#!/usr/bin/env bash
# check_includes.sh FOLDER: fails and lists the lines where a file under FOLDER includes a header of a backend (MPI,
# SimGrid, CUDA, NCCL, oneDNN) or of this project's own backends. core/ must compile without any of them. Headers of other
# programs' file formats (protocol buffers) stay in its folder interchange.
set -euo pipefail
folder=$1
[[ -d $folder ]] || { echo "check_includes: no folder '$folder'" >&2; exit 2; }
headers='mpi|mpi-ext|mpio|simgrid|smpi|xbt|cuda|cudnn|cublas|curand|nvml|nccl|dnnl|oneapi|real/|sim/'
if grep -rnE --include='*.h' --include='*.cc' "^[[:space:]]*#[[:space:]]*include[[:space:]]*[<\"]($headers)" "$folder"; then
  echo "check_includes: $folder must include no backend's header" >&2
  exit 1
fi
formats='protozero|google/protobuf|onnx'
if grep -rnE --include='*.h' --include='*.cc' --exclude-dir=interchange \
  "^[[:space:]]*#[[:space:]]*include[[:space:]]*[<\"]($formats)/" "$folder"; then
  echo "check_includes: only $folder/interchange may include these" >&2
  exit 1
fi
