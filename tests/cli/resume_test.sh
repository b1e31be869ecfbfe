#!/usr/bin/env bash
# Sweeps of several points at a time: what is finished outlives an interruption and a killed point, and is gone on with.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
scenario small.yaml
platforms=$(dirname "$0")/../../platforms

said() { grep -qF -- "$1" "$scratch/stdout" || fail "did not say: $1"; }

# interrupts WORLD ARGUMENT...: Ctrl-C in the third point of a sweep, which would never end.
interrupts() {
  begin tandem "$@" small.yaml --out out --set 'sweep.iterations=[3, 4, 1000000]'
  within 60 "two points" has_kept out 2
  within 60 "the third point" trains out 2
  kill -INT "$job"
  ends 30
  error_is 130 "interrupted; the 2 of 3 points that were finished are in out; the same command goes on from there"
  no_processes || fail "left processes: $(all_processes)"
  is_unfinished out 2
}

# goes_on WORLD ARGUMENT...: what was interrupted is kept, of the very same points only.
goes_on() {
  interrupts "$@"
  succeeds tandem "$@" small.yaml --out out --set 'sweep.iterations=[4, 3, 5]'
  said "Kept from before, in out/points: 2 of 3 points (1-2)"
  is_result out 3
  [[ $(column out/summary.csv iterations | xargs) == "4 3 5" ]] || fail "the points are out of order"
  rm -r out
  interrupts "$@"
  refuses 2 "out/points holds 2 points of a sweep that is not finished, and none is of this one with this platform and this build; give another --out, or remove that folder" \
    tandem "$@" small.yaml --out out --set 'sweep.iterations=[3, 4]' --set seed=2
  rm -r out
}

if built tandem-run; then
  goes_on run

  # With checkpoints too: what is finished is not begun again, and of the rest the newest checkpoint is gone on from.
  saving=(small.yaml --out out --set checkpoint.every=50)
  begin tandem run "${saving[@]}" --set 'sweep.iterations=[3, 1000000]'
  is_saved() { compgen -G 'out/checkpoints/point-2/iteration-*/manifest.json' >"$scratch/found"; }
  within 60 "a checkpoint of the second point" is_saved
  kill -INT "$job"
  ends 30
  error_is 130 "interrupted; the 1 of 2 points that were finished are in out; the same command with --resume goes on after iteration * of point 2"
  within 60 "the processes to be gone" no_processes
  rm -f out/checkpoints/point-2/lock  # stays where a member was still about to end; the next run removes it
  refuses 2 "*/out/checkpoints/point-2/iteration-* is there from an earlier run; give --resume to go on from it, or remove *" \
    tandem run "${saving[@]}" --set 'sweep.iterations=[3, 1000000]'
  begin tandem run "${saving[@]}" --set 'sweep.iterations=[3, 1000000]' --resume
  within 60 "the second point" trains out 1
  said "Kept from before, in out/points: 1 of 2 points (1)"
  [[ $(grep -c "^Resuming after .* iterations, from .*/point-2/iteration-" "$scratch/stdout") -eq 1 ]] || fail "does not go on from the second point's alone"
  kill -INT "$job"
  ends 30
  saved=$(find out/checkpoints/point-2 -name 'iteration-*' -printf '%f\n' | sed 's/iteration-//' | sort -n | tail -1)
  succeeds tandem run "${saving[@]}" --set "sweep.iterations=[3, $((saved + 2))]" --resume
  said "Kept from before, in out/points: 1 of 2 points (1)"
  rm -r out
fi
built tandem-simulate || exit 0

goes_on simulate -j 1
goes_on simulate -j 3

# However many run at a time, the table is the same.
sweep=(small.yaml --set 'sweep.workers=[1, 2, 3]' --set 'sweep.batch_size=[8, 16]')
succeeds tandem simulate "${sweep[@]}" --out one -j 1
succeeds tandem simulate "${sweep[@]}" --out four -j 4
succeeds tandem simulate "${sweep[@]}" --out some
for folder in four some; do cmp one/summary.csv "$folder/summary.csv" || fail "$folder differs from one at a time"; done
is_result four 6

# A point that is killed costs no other, and is the only one to be run again.
endless_first=(small.yaml --out out -j 2 --set 'sweep.iterations=[1000000, 3, 4]')
begin tandem simulate "${endless_first[@]}"
within 60 "two points" has_kept out 2
kill_first tandem-simulate
ends 30
error_is 1 "point 1 of 3 (mnist_cnn, ring, 2 workers): tandem-simulate was killed by signal 9; the 2 of 3 points*"
is_unfinished out 2
begin tandem simulate "${endless_first[@]}"
within 60 "the point that was killed" trains out 0
[[ $(processes tandem-simulate | wc -l) -eq 1 ]] || fail "runs more than the point that was killed"
# Nothing can be done about a SIGKILL of the command itself, but what is finished stays.
kill -KILL "$job"
within 60 "the processes to be gone" no_processes
no_work_folder() { [[ $(names out) != *.tandem* ]]; }
within 60 "the work folder to be gone" no_work_folder
is_unfinished out 2
rm -r out

# A platform that changed makes other points of the same scenario.
cp "$platforms/gcp_k80.xml" mine.xml
mine=(small.yaml --platform mine.xml --out out --set 'sweep.iterations=[3, 4]')
succeeds tandem simulate "${mine[@]}" --points 1
succeeds tandem simulate "${mine[@]}" --points 1
said "Kept from before, in out/points: 1 of 2 points (1)"
sed -i 's/250MBps/125MBps/' mine.xml
succeeds tandem simulate "${mine[@]}" --points 1
! grep -q "Kept" "$scratch/stdout" || fail "took a point of another platform"
rm -r out

# An older result stays until a whole one takes its place.
succeeds tandem simulate small.yaml --out out
before=$(<out/summary.csv)
for time in once again; do
  begin tandem simulate small.yaml --out out -j 1 --set 'sweep.iterations=[5, 1000000]'
  within 60 "a point" has_kept out 1
  within 60 "the second point" trains out 1
  kill -INT "$job"
  ends 30
  error_is 130 "interrupted; the 1 of 2 points that were finished are in out/points, beside an older result; the same*"
  [[ $(<out/summary.csv) == "$before" ]] || fail "the older result is gone, broken off $time"
done
