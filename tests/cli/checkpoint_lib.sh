# shellcheck shell=bash disable=SC2154
# What the tests that kill runs share. Sourced after lib.sh, which sets job, code and scratch.

# learning FILE: two workers that save themselves often, for long enough to be killed on the way.
learning() {
  scenario "$1"
  sed -i 's/^iterations: .*/iterations: 1200/; $a checkpoint: {every: 7}' "$1"
}

hash_of() { column "$1/summary.csv" final_weights_hash; }

# A random moment of up to half a second, from the seed of RANDOM.
wait_a_moment() {
  local never
  exec {never}<> <(:)
  read -rt "0.$(printf %03d $((RANDOM % 500)))" -u "$never" || true
  exec {never}>&-
}

# kill_once FOLDER COMMAND...: begins it and kills it, or one of its ranks, at a random moment once it trains. It may have
# ended before.
kill_once() {
  local out=$1 victim
  shift
  begin "$@" --out "$out"
  within 60 "training to begin" trains_or_ended "$out"
  wait_a_moment
  victim=$job
  if ((RANDOM % 2)); then victim=$(processes tandem-run | shuf -n 1 --random-source=<(yes)); fi
  kill -KILL "${victim:-$job}" 2>/dev/null || true
  ends 60
}
# Ranks of a job that was killed before it may still train where this one does not yet, but this one has not looked then.
trains_or_ended() { { [[ -n $(resumes_from) ]] && trains "$1" 0; } || job_has_ended; }

# resumes_from: after how many iterations the last command went on; 0 where it began anew, nothing where it did not say.
resumes_from() {
  sed -n -e 's/^Resuming after \([0-9]*\) iterations.*/\1/p' -e 's/^There is no checkpoint yet .*/0/p' "$scratch/stdout"
}

# survives_kills COUNT FOLDER WEIGHTS COMMAND...: is killed so often, goes on each time, and ends with weights of that pattern;
# whenever it has, it begins anew. Sets $resumed to how often it went on from a checkpoint.
survives_kills() {
  local count=$1 out=$2 weights=$3 from last=0 struck=0 tries=0
  shift 3
  resumed=0
  while ((struck < count)); do
    ((++tries <= 10 + 2 * count)) || fail "ended too early to be killed $count times"
    kill_once "$out" "$@" --resume
    if [[ $code -eq 0 ]]; then  # by itself, or kept from one that was killed when all was done
      ends_with "$out" "$weights"
      rm -r "$out"
      last=0
      continue
    fi
    ((++struck))
    from=$(resumes_from)
    [[ -n $from ]] || fail "ended with code $code before it looked for checkpoints"
    ((from >= last)) || fail "went on after $from iterations, when $last were saved"
    if ((from > 0)); then ((++resumed)); fi
    last=$from
  done
  run "$@" --resume --out "$out"
  [[ $code -eq 0 ]] || fail "ended with code $code"
  ends_with "$out" "$weights"
}
ends_with() { # FOLDER WEIGHTS
  # shellcheck disable=SC2053  # a pattern
  [[ $(hash_of "$1") == $2 ]] || fail "ended with other weights: $(hash_of "$1"), not $2"
}
