#!/usr/bin/env bash
# What a user builds, by ./dev build or the demo, has every program that another one starts.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
source=$(realpath "$(dirname "$0")/../..")
[[ -f $bin/../build.ninja ]] || skip "another generator than ninja"

made=$(ninja -C "$bin/.." -t query programs)
for program in tandem tandem-simulate $(grep -rhoP 'sibling_program\("\K[^"]+' "$source"/{core,real,sim} | sort -u); do
  built "$program" || continue
  grep -qE "(^|[ /])$program$" <<<"$made" || fail "target programs lacks $program: $made"
done
