# shellcheck shell=bash
# What the tests of the command line share. A test sources it and is called with the build's bin folder; it then works in an
# empty folder that is removed at its end, and finds the programs on its PATH.
set -euo pipefail

PATH=$1:$PATH
bin=$1
scratch=$(mktemp -d)  # what a command said, outside of the folder that it works in
mkdir "$scratch/work"
cd "$scratch/work"
trap 'end_what_was_started; rm -rf "$scratch"' EXIT

# Nothing of the caller's job or settings reaches the commands; the tests may run as root on fewer cores than ranks.
unset TANDEM_HOME TANDEM_DATA "${!OMPI_@}" "${!PRTE_@}" "${!PMI@}" "${!SLURM_@}"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
# Who waits leaves the processors to the tests beside it.
export OMPI_MCA_mpi_yield_when_idle=1 OMP_WAIT_POLICY=passive
# Placing and binding, as Open MPI 4 and as 5 calls them.
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_hwloc_base_binding_policy=none
export PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe PRTE_MCA_hwloc_default_binding_policy=none
# Open MPI 5.0 complains on stderr where a host's addresses are of both kinds, which hurts nothing.
export OMPI_MCA_btl_tcp_disable_family=6

fail() {
  echo "FAILED: $*" >&2
  if [[ -s $scratch/stdout ]]; then sed 's/^/  stdout: /' "$scratch/stdout" >&2; fi
  if [[ -s $scratch/stderr ]]; then sed 's/^/  stderr: /' "$scratch/stderr" >&2; fi
  local id
  for id in $(all_processes); do ps -o pid,ppid,stat,etime,wchan:24,args -p "$id" | sed 's/^/  process: /' >&2 || true; done
  exit 1
}

# ctest counts this exit code as a test that was skipped.
skip() {
  echo "SKIPPED: $*" >&2
  exit 77
}

# scenario FILE: two workers, a small model and made data: something that every command can work on in a second.
scenario() {
  cat >"$1" <<'END'
name: small
model: mnist_cnn
data: synthetic
batch_size: 8
iterations: 3
warmup_iterations: 1
algorithm: ring
workers: 2
platform: gcp_k80
END
}

# built PROGRAM: whether this build has it; without MPI or SimGrid, one of the worlds is missing.
built() { [[ -x $bin/$1 ]]; }

# The commands that take a scenario through a world of this build.
scenario_commands() {
  if built tandem-simulate; then echo simulate; fi
  if built tandem-run; then printf 'run\ncalibrate\n'; fi
  if built tandem-simulate && built tandem-run; then echo compare; fi
}

# Who else works on this machine is no fault of the command's.
forget_others() { sed -i -E '/^tandem: warning: .*(others, such as .* took|processors were busy for|virtual machine was not given) over/d' "$scratch/stderr"; }

# run COMMAND...: sets $code. What takes longer than $patience seconds is ended, so that the test says where.
run() {
  code=0
  timeout --kill-after=5 "${patience:-300}" "$@" </dev/null >"$scratch/stdout" 2>"$scratch/stderr" || code=$?
  forget_others
}

# Everything in the test's folder, so that two lists tell whether anything was left or touched; but for what `find` is told to leave out.
files() { find . "$@" \( -type f -printf '%p %s %T@\n' \) -o -printf '%p\n' | LC_ALL=C sort; }

# error_is CODE PATTERN: the last command ended with CODE and said one line, which fits PATTERN, and nothing else.
error_is() {
  [[ $code -eq $1 ]] || fail "ended with code $code, not $1"
  [[ $(wc -l <"$scratch/stderr") -eq 1 ]] || fail "said other than one line on stderr"
  # shellcheck disable=SC2053  # a pattern is meant
  [[ $(<"$scratch/stderr") == "tandem: error: "$2 ]] || fail "the line does not fit: tandem: error: $2"
}

# refuses CODE PATTERN COMMAND...: COMMAND ends with CODE within a minute, says one line that fits PATTERN, and leaves nothing. What a
# command writes that is at work meanwhile can be left out (at_work).
left_out=()
# shellcheck disable=SC2034  # for the tests
at_work=(-path '*/.tandem-work-*/*' -prune -o)
refuses() {
  local expected=$1 pattern=$2 before after began
  shift 2
  echo "refuses: $*"
  before=$(files "${left_out[@]}")
  began=$(date +%s%N)
  run "$@"
  (($(date +%s%N) - began < 60000000000)) || fail "took over a minute"
  error_is "$expected" "$pattern"
  after=$(files "${left_out[@]}")
  [[ $after == "$before" ]] || fail "left something: $(diff <(echo "$before") <(echo "$after"))"
}

# succeeds COMMAND...: ends with 0 and says nothing on stderr.
succeeds() {
  echo "succeeds: $*"
  run "$@"
  [[ $code -eq 0 ]] || fail "ended with code $code"
  [[ ! -s $scratch/stderr ]] || fail "said something on stderr"
}

# column FILE NAME: that column's cells, one a line.
column() {
  awk -F, -v name="$2" 'NR == 1 { for (i = 1; i <= NF; ++i) if ($i == name) at = i
                                  if (!at) { print "no column " name; exit 1 } }
                        NR > 1 { print $at }' "$1" ||
    fail "$1 has no column $2, or can't be read (awk ended with code $?): $(head -c 300 "$1")"
}

# names FOLDER: what is in it, hidden or not, in one line.
names() { find "$1" -mindepth 1 -maxdepth 1 -printf '%f\n' | LC_ALL=C sort | xargs; }

# is_result FOLDER ROWS: a finished result of ROWS points and nothing beside it; links.csv and topology.csv where a simulation sent something.
is_result() {
  [[ $(names "$1") == "iterations.csv "?(links.csv )"run.json summary.csv "?(topology.csv )"trace.json traffic.csv" ]] || fail "$1 holds $(names "$1")"
  [[ $(column "$1/summary.csv" workers | wc -l) -eq $2 ]] || fail "$1/summary.csv has other than $2 rows"
}

# is_unfinished FOLDER ROWS: a result of the ROWS points that were finished, which are kept to go on from.
is_unfinished() {
  [[ $(names "$1") == "iterations.csv "?(links.csv )"points run.json summary.csv "?(topology.csv )"trace.json traffic.csv" ]] || fail "$1 holds $(names "$1")"
  [[ $(column "$1/summary.csv" workers | wc -l) -eq $2 ]] || fail "$1/summary.csv has other than $2 rows"
  has_kept "$1" "$2" || fail "$1/points holds other than $2 points"
}

# has_kept FOLDER POINTS: so many points of an unfinished sweep are kept there.
has_kept() { [[ $(find "$1/points" -name '*.point' 2>/dev/null | wc -l) -eq $2 ]]; }

# begin COMMAND...: starts it in the background as $job, whose signals are its own.
begin() {
  echo "begins: $*"
  : >"$scratch/began"
  : >"$scratch/stdout"  # now, so that what the command before said is not taken for what this one says
  "$@" </dev/null >"$scratch/stdout" 2>"$scratch/stderr" &
  job=$!
}

# within SECONDS WHAT CONDITION...: looks until CONDITION holds.
within() {
  local deadline=$((SECONDS + $1)) what=$2
  shift 2
  until "$@"; do
    ((SECONDS < deadline)) || fail "waited in vain for $what"
    pause 0.05
  done
}
# pause SECONDS: without a process of its own, as those that wait pause often.
exec {never}<> <(:)
pause() { read -rt "$1" -u "$never" || true; }

# ends SECONDS: the job of begin() ends within that time; sets $code.
ends() {
  within "$1" "the end of the job" job_has_ended
  code=0
  wait "$job" 2>/dev/null || code=$?
  forget_others
}
job_has_ended() { ! kill -0 "$job" 2>/dev/null || [[ $(state_of "$job") == Z ]]; }
state_of() {
  local stat
  { read -r stat <"/proc/$1/stat"; } 2>/dev/null || return 0
  stat=${stat##*) }
  echo "${stat:0:1}"
}

# kill_first NAME: SIGKILL to the first of the programs of that name that work on a file in the test's folder.
kill_first() {
  local ids
  mapfile -t ids < <(processes "$1")
  ((${#ids[@]} > 0)) || fail "no $1 is there to be killed"
  kill -KILL "${ids[0]}"
}

# processes NAME...: the ids of the programs of those names that work on a file in the test's folder.
processes() {
  local folder name
  for folder in /proc/[0-9]*; do
    { read -r name <"$folder/comm"; } 2>/dev/null || continue
    [[ " $* " == *" $name "* ]] || continue
    if grep -qsF "$scratch/work" "$folder/cmdline" && ! is_dying "${folder#/proc/}"; then echo "${folder#/proc/}"; fi
  done
}
# is_dying ID: has been killed, of which nothing more is to come, though it may take a busy machine a moment to remove it.
is_dying() {
  local flags
  grep -qsE '^S(ig|hd)Pnd:.*[13579bdf]..$' "/proc/$1/status" && return  # SIGKILL, the ninth
  flags=$(sed 's/.*) //' "/proc/$1/stat" 2>/dev/null | cut -d' ' -f7)
  ((${flags:-4} & 4))  # it exits
}
all_processes() { processes tandem-simulate tandem-run tandem-elastic mpirun orterun prterun; }
no_processes() { [[ -z $(all_processes) ]]; }

# Also where a test fails half-way.
end_what_was_started() {
  local id
  for id in ${job:-} $(all_processes); do kill -KILL "$id" 2>/dev/null || true; done
}

# trains FOLDER POINT: that point, counted from 0, of the job that writes to FOLDER has finished an iteration; what one that
# was killed before it left there says nothing of it.
trains() {
  local file
  for file in "$1"/.tandem-*/point-"$2"/progress; do
    [[ $file -nt $scratch/began ]] || continue
    [[ $(cut -d' ' -f1 "$file" 2>/dev/null || true) =~ ^[1-9] ]] && return 0
  done
  return 1
}
# shellcheck disable=SC2034  # for the tests
endless=(--set iterations=1000000 --set simulation.extrapolate=false)
