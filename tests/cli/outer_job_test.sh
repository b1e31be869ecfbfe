#!/usr/bin/env bash
# tandem run as the ranks of a job that somebody else started.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
scenario small.yaml

succeeds mpirun -n 2 tandem run small.yaml --out out
is_result out 1
rm -r out
succeeds mpirun -n 3 tandem run small.yaml --out out --set algorithm=parameter_server
is_result out 1
rm -r out

folder=$(files)
nothing_left() { [[ $(files) == "$folder" ]]; }

# mpirun says much of its own about ranks that fail, and that of Open MPI 5 ends it with a zero byte; of tandem there is one
# line, maybe from each.
outer_refuses() {
  local pattern=$1
  shift
  run "$@"
  tr -d '\0' <"$scratch/stderr" | grep '^tandem: error: ' | sort -u >"$scratch/lines" || fail "no line tells why"
  cp "$scratch/lines" "$scratch/stderr"
  error_is 2 "$pattern"
  within 60 "the work folder to be gone" nothing_left  # mpirun kills its ranks, and waits for no process of theirs
}
outer_refuses "scenario small has 2 members (2 workers, 0 servers), but the job has 3 ranks*" \
  mpirun -n 3 tandem run small.yaml --out out
outer_refuses "small.yaml: this sweep has 2 points*" \
  mpirun -n 2 tandem run small.yaml --out out --set sweep.workers='[1, 2]'
outer_refuses "data 'fashion_mnist': there is no nowhere/*" \
  mpirun -n 2 tandem run small.yaml --out out --set data='{name: fashion_mnist, path: nowhere}'
