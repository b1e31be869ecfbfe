#!/usr/bin/env bash
# How often an elastic run is lost in vain before it gives up, and one whose hosts a file names.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
scenario small.yaml
events() { python3 -c 'import json, sys
for event in json.load(open(sys.argv[1]))["points"][0]["environment"]["failures"]: print(event["workers"], event["event"])' "$1/run.json"; }
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
within 20 "the processes to be gone" no_processes

# Both hosts are this machine, by what stands in for ssh, and one of them is down for a while. Who is lost there is started there again.
cat >agent <<'END'
#!/usr/bin/env bash
while [[ $1 == -* ]]; do shift; done
[[ ! -e $(dirname "$0")/$1.down ]] || exit 255
exec bash -c "${*:2}"
END
chmod +x agent
export OMPI_MCA_plm_rsh_agent=$PWD/agent PRTE_MCA_plm_ssh_agent=$PWD/agent
printf 'one slots=1\ntwo slots=1\n' >hosts
hosts_of() { cat on_hosts/.tandem-*/point-0/stretch-"$1"/hosts 2>/dev/null || true; }
kill_second() {
  local id
  for id in $(processes tandem-run); do
    if grep -qsz '^OMPI_COMM_WORLD_RANK=1$' "/proc/$id/environ"; then kill -KILL "$id"; fi
  done
}
begin tandem run small.yaml --elastic --hostfile hosts --set checkpoint.every=10 "${endless[@]}" --out on_hosts
within 60 "training to begin" trains on_hosts 0
[[ $(hosts_of 1) == "$(<hosts)" ]] || fail "began on $(hosts_of 1)"
kill_second
within 60 "one to go on" told "goes on from the last checkpoint" 1
[[ $(hosts_of 2) == "one slots=1" ]] || fail "went on on $(hosts_of 2)"
within 60 "both to train again" told "takes part" 1
[[ $(hosts_of 3) == "$(<hosts)" ]] || fail "went on on $(hosts_of 3)"
touch two.down
kill_second
within 60 "a host to be missing" told "host two can't be reached" 1
rm two.down
within 60 "it to be back" told "takes part" 2
! job_has_ended || fail "ended by itself"
kill -INT "$job"
ends 20
[[ $code -eq 130 ]] || fail "ended with code $code, interrupted"
within 20 "the processes to be gone" no_processes
