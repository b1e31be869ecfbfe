#!/usr/bin/env bash
# Interrupting a command ends all that it started and keeps the points that were finished.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
scenario small.yaml
folder=$(files)
nothing_left() { [[ $(files) == "$folder" ]]; }

# interrupted SIGNAL CODE COMMAND...: one endless point, ended by SIGNAL.
interrupted() {
  local signal=$1 expected=$2
  shift 2
  begin "$@" --out out "${endless[@]}"
  within 60 "the work to begin" trains out 0
  kill "-$signal" "$job"
  ends 30
  error_is "$expected" "interrupted"
  no_processes || fail "left processes: $(all_processes)"
  nothing_left || fail "left something: $(files)"
}

# keeps_finished COMMAND [OPTION]: a sweep whose second point never ends.
keeps_finished() {
  begin tandem "$@" small.yaml --out out --set sweep.iterations='[3, 1000000]'
  within 60 "the second point" trains out 1
  kill -TERM "$job"
  ends 30
  error_is 143 "interrupted; the 1 of 2 points that were finished are in out; the same command goes on from there"
  no_processes || fail "left processes: $(all_processes)"
  is_unfinished out 1
  rm -r out
}

if built tandem-simulate; then
  interrupted INT 130 tandem simulate small.yaml
  interrupted TERM 143 tandem simulate small.yaml
  keeps_finished simulate "-j1"
fi
if built tandem-run; then
  interrupted INT 130 tandem run small.yaml
  interrupted HUP 129 tandem run small.yaml
  keeps_finished run

  # The command itself can do nothing about a SIGKILL.
  begin tandem run small.yaml --out out "${endless[@]}"
  within 60 "the work to begin" trains out 0
  kill -KILL "$job"
  within 60 "the processes to be gone" no_processes
  within 60 "the work folder to be gone" nothing_left
fi
