#!/usr/bin/env bash
# How often an elastic run is lost in vain before it gives up.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
scenario small.yaml
times_told() { grep -c "$1" "$scratch/stdout" || true; }
told() { (($(times_told "$1") >= $2)) || job_has_ended; }

# Jobs that end before they train: three in a row are too many, and two are not.
cat >launcher <<'END'
#!/usr/bin/env bash
cd "$(dirname "$0")"
echo >>tries
(($(wc -l <tries) > $(<in_vain))) || exit 3
exec mpirun "$@"
END
chmod +x launcher
for in_vain in 3 2; do
  echo $in_vain >in_vain
  rm -f tries
  run tandem run small.yaml --elastic --launcher "$PWD/launcher" --out starts
  [[ $(wc -l <tries) -eq 3 ]] || fail "started $(wc -l <tries) jobs, not 3"
  [[ $(times_told "launcher ended with code 3 and said nothing; the job starts anew") -eq 2 ]] || fail "does not tell of two new starts"
  if ((in_vain == 3)); then error_is 1 "launcher ended with code 3 and said nothing"; fi
done
[[ $code -eq 0 ]] || fail "gave up too early, with code $code"

# Jobs that are lost before they have saved anything, as all are without checkpoints.
begin tandem run small.yaml --elastic "${endless[@]}" --out in_vain.d
within 60 "training to begin" trains in_vain.d 0
for over in 1 2; do
  kill_first tandem-run
  within 60 "it to start over" told "training starts over" $over
  ! job_has_ended || fail "gave up after $over losses"
done
kill_first tandem-run
ends 60
error_is 1 "rank ? was killed by signal 9*"
within 60 "the processes to be gone" no_processes

# What mpirun leaves behind is killed, without checkpoints too, and where the run ends; here what looks like a rank of the job.
# leaves_one: that does not end by itself.
leaves_one() {
  local ids
  mapfile -t ids < <(processes tandem-run)
  (exec -a tandem-run tail -f "$(tr '\0' '\n' <"/proc/${ids[0]}/cmdline" | sed -n 2p)" >"$scratch/nothing") &
  left=$!
  within 60 "what is left to look like a rank" is_there
}
is_there() { [[ " $(processes tail | xargs) " == *" $left "* ]]; }
is_killed() { # WHERE
  ! is_dying "$left" || return 0
  kill -KILL "$left"
  fail "a process of the job is left $1"
}
begin tandem run small.yaml --elastic "${endless[@]}" --out left.d
within 60 "training to begin" trains left.d 0
leaves_one
kill_first tandem-run
within 60 "it to start over" told "training starts over" 1
is_killed "once it starts over"
leaves_one
kill -INT "$job"
ends 30
[[ $code -eq 130 ]] || fail "ended with code $code, interrupted"
is_killed "by a run that was interrupted"
no_processes || fail "left processes: $(all_processes)"
