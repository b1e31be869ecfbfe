#!/bin/sh
# killed_rank.sh COMMAND...: the job must get as far as losing its rank, then end by itself within a minute, and not as
# if it had succeeded.
output=$(timeout 60 "$@" 2>&1)
code=$?
echo "$output"
if [ "$code" -eq 0 ] || [ "$code" -eq 124 ]; then
  echo "ended with code $code: expected an error within a minute" >&2
  exit 1
fi
case $output in
  *"about to be killed"*) ;;
  *) echo "ended with code $code before any rank was killed" >&2; exit 1 ;;
esac
