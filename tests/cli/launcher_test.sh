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

# A command that is killed leaves nothing, though its launcher does not end when it is told to.
mkdir hanging
cat >hanging/mpirun <<'END'
#!/bin/bash
trap '' TERM
exec {never}<> <(:)
touch "$(dirname "$0")/hangs"
read -r -u "$never"
END
chmod +x hanging/mpirun
begin tandem run small.yaml --launcher "$PWD/hanging/mpirun" --out out
hangs() { [[ -e hanging/hangs ]]; }
within 10 "the launcher to begin" hangs
kill -KILL "$job"
ends 10
[[ -n $(processes mpirun) ]] || fail "the launcher ended by itself"
all_gone
out_is_gone() { [[ ! -e out ]]; }
within 20 "the output folder, which is empty, to be gone" out_is_gone
