#!/usr/bin/env bash
# A process of a running job is killed: the job ends, says so in one line and leaves nothing.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
scenario small.yaml

# survives_death NAMES PATTERN ALGORITHM: the last process of a run that has one of NAMES is killed; the run says what fits
# PATTERN.
survives_death() {
  local before
  before=$(files)
  begin tandem run small.yaml --out out --set algorithm="$3" "${endless[@]}"
  within 60 "training to begin" trains out 0
  # shellcheck disable=SC2086  # a list of names
  kill -KILL "$(processes $1 | tail -1)"
  ends 30
  error_is 1 "$2"
  within 60 "the processes to be gone" no_processes
  [[ $(files) == "$before" ]] || fail "left something: $(files)"
}

survives_death tandem-run "rank [01] was killed by signal 9 (Killed)" ring
survives_death tandem-run "rank [012] was killed by signal 9 (Killed)" parameter_server
survives_death "mpirun prterun" "mpirun was killed by signal 9" ring

# says_how_to_go_on NAMES WHAT: the same, but the run has saved itself.
says_how_to_go_on() {
  begin tandem run small.yaml --out saved --set checkpoint.every=20 "${endless[@]}"
  is_saved() { compgen -G 'saved/checkpoints/iteration-*/manifest.json' >"$scratch/found"; }
  within 60 "a checkpoint" is_saved
  # shellcheck disable=SC2086  # a list of names
  kill -KILL "$(processes $1 | tail -1)"
  ends 30
  error_is 1 "$2; the same command with --resume goes on after iteration *0"
  within 60 "the processes to be gone" no_processes
  rm -r saved
}

says_how_to_go_on tandem-run "rank [01] was killed by signal 9 (Killed)"
says_how_to_go_on "mpirun prterun" "mpirun was killed by signal 9"
