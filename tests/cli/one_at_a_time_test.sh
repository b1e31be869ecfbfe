#!/usr/bin/env bash
# Commands that write to one folder: one at a time, but for the points of one sweep; what a killed one left goes.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
scenario small.yaml
# shellcheck disable=SC2034  # refuses() reads it
left_out=("${at_work[@]}")

# holds_alone COMMAND...: while it works in out, others that write there are refused; then they are not.
ln -s out link
holds_alone() {
  begin "$@" small.yaml --out out "${endless[@]}"
  within 60 "the work to begin" trains out 0
  local command inner
  for command in $(scenario_commands); do
    run tandem "$command" small.yaml --out out
    error_is 2 "*/out: another command ($(basename "$1") *--out out *, process $job) writes to this folder; wait for its end, or give another --out" ||
      fail "$command was not refused"
    # Nor to a folder in it, which may be one of its halves, on whatever way.
    for inner in out/predicted link/deep/down; do
      run tandem "$command" small.yaml --out "$inner"
      error_is 2 "*/$inner: another command ($(basename "$1") *--out out *, process $job) writes to */out, which this folder is in; wait for its end, or give another --out" ||
        fail "$command was not refused"
      [[ ! -e $inner ]] || fail "$command made $inner"
    done
  done
  # Nor does the lock need the command to end by itself.
  kill -KILL "$job"
  ends 30
  run tandem "$2" small.yaml --out out
  [[ $code -eq 0 ]] || fail "ended with code $code"
  within 60 "the processes to be gone" no_processes
  is_whole() { is_result out 1 2>/dev/null; }
  within 60 "the work folder to be gone" is_whole
  is_result out 1
  # What is left over of one that was killed keeps nobody away, nor does a lock of somebody else's.
  mkdir out/.tandem-aBcDeF
  succeeds tandem "$2" small.yaml --out link/deep/down
  is_result out/deep/down 1
  rm -r out/.tandem-aBcDeF
  succeeds flock out tandem "$2" small.yaml --out out/deep/down
  rm -r out/deep
}

for command in simulate run; do
  built "tandem-$command" || continue
  holds_alone tandem "$command"
  # Left by a command that was killed with all of its processes.
  mkdir out/.tandem-aBcDeF out/.tandem-job
  touch out/.tandem-aBcDeF/progress out/.tandem-GhIjKl
  run tandem "$command" small.yaml --out out
  [[ $code -eq 0 ]] || fail "ended with code $code"
  is_result out 1
  # Reading needs no turn.
  begin tandem "$command" small.yaml --out out "${endless[@]}"
  within 60 "the work to begin" trains out 0
  succeeds tandem explain out
  kill -INT "$job"
  ends 30
  rm -r out
done

# A comparison writes to folders within, where others may be at work: they keep it away, and those elsewhere within don't.
if built tandem-simulate && built tandem-run; then
  for inner in predicted measured measured/2; do
    begin tandem simulate small.yaml --out "halves/$inner" "${endless[@]}"
    within 60 "the work to begin" trains "halves/$inner" 0
    refuses 2 "halves: another command (tandem simulate *--out halves/$inner *, process $job) writes to halves/$inner, which this command writes to too; *" \
      tandem compare small.yaml --out halves
    kill -INT "$job"
    ends 30
  done
  begin tandem simulate small.yaml --out halves/other "${endless[@]}"
  within 60 "the work to begin" trains halves/other 0
  run tandem compare small.yaml --out halves
  [[ $code -eq 0 ]] || fail "ended with code $code"
  kill -INT "$job"
  ends 30
  rm -r halves
fi

if built tandem-simulate; then
  # Points of one sweep, each by a command of its own, are run at the same time.
  sweep=(small.yaml --out out --set 'sweep.iterations=[1000000, 3]' --set simulation.extrapolate=false)
  begin tandem simulate "${sweep[@]}" --points 1
  within 60 "the first point" trains out 0
  succeeds tandem simulate "${sweep[@]}" --points 2
  refuses 2 "*/out: another command (tandem simulate *--points 1, process $job) writes to this folder; *" tandem simulate "${sweep[@]}" --join
  kill -INT "$job"
  ends 30
fi
