#!/usr/bin/env bash
# A result folder that cannot be written is found before anything runs.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
scenario small.yaml
touch file
mkdir -p taken/summary.csv

for command in $(scenario_commands); do
  refuses 2 "*/file: *can't *" tandem "$command" small.yaml --out file
  refuses 2 "*/file/out: can't make this folder: Not a directory" tandem "$command" small.yaml --out file/out
  [[ $command == c* ]] ||
    refuses 2 "taken/summary.csv: this is a folder, where a result has a file" tandem "$command" small.yaml --out taken
  refuses 2 "/proc/out: can't *" tandem "$command" small.yaml --out /proc/out
  refuses 2 "the command line is not UTF-8 text; give names and paths that are" tandem "$command" small.yaml --out $'latin-\xe9'
done
# A job is told of its checkpoints' folder, which may be where no name was given for.
if built tandem-run; then
  mkdir $'latin-\xe9'
  for how in "" --elastic; do
    (cd $'latin-\xe9' && refuses 2 "checkpoints can't be in */latin-*/out/checkpoints, which is not UTF-8 text; work in a folder whose path is" \
      tandem run ../small.yaml --set checkpoint.every=1 ${how:+"$how"} --out out)
  done
  rmdir $'latin-\xe9'
fi
# Root may write anywhere.
if [[ $(id -u) -ne 0 ]]; then
  mkdir -m 555 closed
  for command in $(scenario_commands); do
    refuses 2 "*/closed: can't write in this folder: Permission denied" tandem "$command" small.yaml --out closed
  done
fi

# INODES COMMAND... after it: with a disk in the folder disk that has room for that many files and folders, itself one of them.
# shellcheck disable=SC2016  # which the inner shell expands
on_disk=(unshare --map-root-user --mount bash -c 'mount -t tmpfs -o "nr_inodes=$1" none disk && "${@:2}"' -)
mkdir disk
if "${on_disk[@]}" 1 true 2>/dev/null; then
  for command in $(scenario_commands); do
    for inodes in 1 2; do
      refuses 1 "*/disk/out: can't write: No space left on device" "${on_disk[@]}" $inodes tandem "$command" small.yaml --out disk/out
    done
    refuses 1 "*/disk/.tandem-runs/out: can't write: No space left on device" "${on_disk[@]}" 3 tandem "$command" small.yaml --out disk/.tandem-runs/out
  done
fi

# full COMMAND...: what it prints has no room.
full() {
  echo "full: $*"
  local ended=0
  "$@" >/dev/full 2>"$scratch/stderr" || ended=$?
  [[ $ended -eq 1 && $(wc -l <"$scratch/stderr") -eq 1 && $(<"$scratch/stderr") =~ ^"tandem: error: ".*("No space left on device"|"can't write all of it")$ ]] ||
    fail "ended with code $ended, and said: $(<"$scratch/stderr")"
}
full tandem --help
full tandem list
full tandem check small.yaml
if built tandem-simulate; then
  full tandem simulate small.yaml --out small
  succeeds tandem simulate small.yaml --out small
  full tandem explain small
  full tandem plot scaling small --out figure
  full tandem report small --no-explanation
fi
