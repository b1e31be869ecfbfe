#!/usr/bin/env bash
# on_gpu.sh GPU_THERE COMMAND...: runs the command where there is a GPU; gpu_there.cc says what where there is none.
set -euo pipefail
"$1" || exit $?
shift
exec "$@"
