#!/usr/bin/env bash
# check_includes.sh passes what it should and catches what it should.
set -euo pipefail
check=$(dirname "${BASH_SOURCE[0]}")/check_includes.sh
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

expect() {
  local wanted=$1 line=$2 found=passes
  printf '%s\n' "$line" >"$folder/file.h"
  "$check" "$folder" >/dev/null 2>&1 || found=refused
  [[ $found == "$wanted" ]] || { echo "check_includes.sh: $found, not $wanted: $line" >&2; exit 1; }
}

for header in mpi.h simgrid/s4u.hpp smpi/smpi.h xbt/log.h cuda_runtime.h cudnn.h nccl.h dnnl.hpp oneapi/dnnl/dnnl.hpp; do
  expect refused "#include <$header>"
  expect refused "  #  include \"$header\""
done
expect refused '#include "real/cpu/device.h"'
expect refused '#include "sim/worker.h"'
expect passes '#include "core/comm/worker.h"'
expect refused '#include <protozero/pbf_reader.hpp>'
expect passes '#include "core/interchange/onnx/import.h"'
expect passes '#include <simd>'
expect passes '// #include <mpi.h> is what core/ never does'
if "$check" "$folder/nowhere" 2>/dev/null; then
  echo "check_includes.sh: a folder that is not there passes" >&2
  exit 1
fi
