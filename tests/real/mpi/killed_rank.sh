#!/bin/sh
# killed_rank.sh COMMAND...: the job must end by itself within 10 s, and not as if it had succeeded.
timeout 10 "$@"
code=$?
if [ "$code" -eq 0 ] || [ "$code" -eq 124 ]; then
  echo "ended with code $code: expected an error within 10 s" >&2
  exit 1
fi
