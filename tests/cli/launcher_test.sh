#!/usr/bin/env bash
# Ranks that are started by a launcher or on hosts of the user's choice.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
scenario small.yaml

cat >my_launcher <<'END'
#!/usr/bin/env bash
echo "$@" >"$(dirname "$0")/arguments"
exec mpirun "${@:2}"
END
chmod +x my_launcher
succeeds tandem run small.yaml --launcher "$PWD/my_launcher --polite" --out out
is_result out 1
[[ $(<arguments) == "--polite -n 2 "*/tandem-run\ * ]] || fail "the launcher got: $(<arguments)"
rm -r out arguments

echo "localhost slots=2" >hosts
succeeds tandem run small.yaml --hostfile hosts --out out
grep -q "^\$ mpirun .*--hostfile hosts -n 2 " "$scratch/stdout" || fail "the hosts are not passed on"
rm -r out

unset OMPI_MCA_rmaps_base_oversubscribe PRTE_MCA_rmaps_default_mapping_policy
refuses 2 "the hosts have fewer slots than the 3 ranks; add hosts or slots=N to the hostfile, or take fewer workers" tandem run small.yaml --hostfile hosts -n 3 --out out
succeeds tandem run small.yaml --hostfile hosts --out out
run tandem run small.yaml --hostfile hosts --set sweep.workers='[2, 3]' --out out
error_is 2 "point 3 of 3 (mnist_cnn, ring, 3 workers): the hosts have fewer slots than the 3 ranks*the 2 of 3 points*are in out/points, \
beside an older result"
rm -r out
refuses 2 "a lab has hosts and a launcher of its own; leave --hostfile out, or run outside of it" tandem run small.yaml --lab --hostfile hosts --out out
refuses 2 "a lab has hosts and a launcher of its own; leave --launcher out, or run outside of it" tandem run small.yaml --lab --launcher mpirun --out out
refuses 2 "hostz: there is no such hostfile" tandem run small.yaml --hostfile hostz --out out
refuses 2 "can't start nowhere: there is no such program; give another --launcher, such as 'srun'" tandem run small.yaml --launcher nowhere --out out
mkdir folder
touch plain
refuses 2 "can't start ./folder: it is a folder; give another --launcher*" tandem run small.yaml --launcher ./folder --out out
refuses 2 "can't start ./plain: it is not executable; give another --launcher*" tandem run small.yaml --launcher ./plain --out out
refuses 2 "--hostfile is mpirun's, but --launcher starts something else; *" tandem run small.yaml --launcher "$PWD/my_launcher" --hostfile hosts --out out
echo "localhost slots=two" >odd_hosts
refuses 2 "odd_hosts:1: slots is 'two', but has to be a whole number" tandem run small.yaml --hostfile odd_hosts --out out
refuses 2 "--launcher is empty*" tandem run small.yaml --launcher "" --out out
printf '#!/bin/sh\nexit 3\n' >silent
chmod +x silent
refuses 1 "silent ended with code 3 and said nothing" tandem run small.yaml --launcher ./silent --out out
PATH=$PATH: refuses 1 "silent ended with code 3 and said nothing" tandem run small.yaml --launcher silent --out out

# Ranks that their launcher leaves behind are killed, whether it ends or, as the command that started it is killed, does not.
cat >careless <<'END'
#!/usr/bin/env bash
trap '' TERM
setsid "${@:4}" &  # else the kernel wakes it as its group is orphaned
until [[ $(</proc/$!/comm) == tandem-run ]]; do sleep 0.01; done
kill -STOP $!
touch "$(dirname "$0")/leaves_it"
[[ $1 == --and-ends ]] || wait
exit 1
END
chmod +x careless
for command in "run --out out" "calibrate --out calibrated"; do
  # shellcheck disable=SC2086  # of several words
  run tandem $command small.yaml --launcher "$PWD/careless --and-ends"
  [[ -e leaves_it ]] || fail "the launcher did not start the rank"
  error_is 1 "careless ended with code 1 and said nothing"
  no_processes || fail "left processes: $(all_processes)"
  rm leaves_it
done
begin tandem run small.yaml --launcher "$PWD/careless --and-waits" --out out
leaves_it() { [[ -e leaves_it ]]; }
within 30 "the launcher to begin" leaves_it
kill -KILL "$job"
ends 10
[[ -n $(processes tandem-run) ]] || fail "the rank ended by itself"
within 60 "the processes to be gone" no_processes
out_is_gone() { [[ ! -e out ]]; }
within 20 "the output folder, which is empty, to be gone" out_is_gone
