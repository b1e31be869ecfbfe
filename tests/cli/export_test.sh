#!/usr/bin/env bash
# Timelines in another program's format, of both worlds; where PajeNG is installed, it reads them too.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
scenario small.yaml

# exported RESULT MEMBERS ARROWS: has so many members and, as far as there are any, arrows.
exported() {
  succeeds tandem export paje "$1"
  [[ $(grep -c '^4 0 M' "$1/paje.trace") -eq $2 ]] || fail "has other than $2 members"
  [[ $(grep -c '^8 ' "$1/paje.trace") -eq $(grep -c '"ph":"s"' "$1/trace.json") ]] || fail "other arrows than trace.json has"
  [[ $(grep -c '^8 ' "$1/paje.trace") -eq $(grep -c '^9 ' "$1/paje.trace") ]] || fail "an arrow has one end"
  if [[ $3 == arrows ]]; then grep -q '^8 ' "$1/paje.trace" || fail "has no arrow"; fi
  if command -v pj_dump >/dev/null; then succeeds pj_dump "$1/paje.trace"; fi
}

server=(--set algorithm=parameter_server)
if built tandem-simulate; then
  succeeds tandem simulate small.yaml --out server "${server[@]}"
  exported server 3 arrows
  succeeds tandem simulate small.yaml --out sweep --set sweep.workers='[2, 3]'
  exported sweep 3 ""
  succeeds tandem export paje sweep --point 2 --out elsewhere/two.trace
  [[ $(grep -c '^4 0 M' elsewhere/two.trace) -eq 2 ]] || fail "takes another point than --point says"
  refuses 2 "small.yaml: this is no Paje trace, and won't be overwritten; give another --out" tandem export paje sweep --out small.yaml
  refuses 2 "elsewhere: this is a folder; give a file's name" tandem export paje sweep --out elsewhere
  refuses 2 "--point 4: sweep has 3 points, counted from 1" tandem export paje sweep --point 4
fi
if built tandem-run; then
  succeeds tandem run small.yaml --out run "${server[@]}"
  exported run 3 arrows
fi
refuses 2 "nowhere/run.json: no such file; *" tandem export paje nowhere
refuses 2 "*FORMAT: otf not in {paje}*" tandem export otf nowhere
