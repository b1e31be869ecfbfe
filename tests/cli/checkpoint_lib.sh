# shellcheck shell=bash disable=SC2154
# What the tests that kill runs share. Sourced after lib.sh, which sets job, code and scratch.

# learning FILE: two workers that save themselves often.
learning() {
  scenario "$1"
  sed -i 's/^iterations: .*/iterations: 1200/; $a checkpoint: {every: 7}' "$1"
}

hash_of() { column "$1/summary.csv" final_weights_hash; }

# A random moment of up to half a second, from the seed of RANDOM.
wait_a_moment() { pause "0.$(printf %03d $((RANDOM % 500)))"; }

# kill_once FOLDER WHEN COMMAND...: begins it and kills it, or one of its ranks, at a random moment once WHEN holds, or it has
# ended.
kill_once() {
  local out=$1 when=$2 victim
  shift 2
  begin "$@" --out "$out"
  within 120 "what is to be killed: $when" "$when" "$out"
  wait_a_moment
  victim=$job
  if ((RANDOM % 2)); then victim=$(ranks_of "$job" | shuf -n 1 --random-source=<(yes)); fi
  kill -KILL "${victim:-$job}" 2>/dev/null || true
  ends 60
}
no_ranks() { [[ -z $(processes tandem-run) ]]; }
# ranks_of JOB: of no other, for ranks of one that was killed before it end by themselves, a moment after their launcher.
ranks_of() {
  local id
  for id in $(processes tandem-run); do
    if is_below "$id" "$1"; then echo "$id"; fi
  done
}
# is_below ID ANCESTOR: whether a process was started by the other, or by one that was.
is_below() {
  local id=$1
  while [[ -n $id && $id -gt 1 ]]; do
    if [[ $id -eq $2 ]]; then return 0; fi
    id=$(sed 's/.*) //' "/proc/$id/stat" 2>/dev/null | cut -d' ' -f2)
  done
  return 1
}
# Ranks of a job that was killed before it may still train where this one does not yet, but this one has not looked then.
trains_or_ended() { { [[ -n $(resumes_from) ]] && trains "$1" 0; } || job_has_ended; }
saves_or_ended() { { [[ -n $(resumes_from) ]] && (($(newest_of "$1") > $(resumes_from))); } || job_has_ended; }

# newest_of FOLDER: after how many iterations its newest checkpoint was made that is complete; 0 without any.
newest_of() {
  { find "$1/checkpoints" -path '*/iteration-*/manifest.json' -printf '%h\n' 2>/dev/null || true; } |
    sed 's/.*-//' | sort -n | tail -n 1 | grep . || echo 0
}

# resumes_from: after how many iterations the last command went on; 0 where it began anew, nothing where it did not say.
resumes_from() {
  sed -n -e 's/^Resuming after \([0-9]*\) iterations.*/\1/p' -e 's/^There is no checkpoint yet .*/0/p' "$scratch/stdout"
}

# survives_kills COUNT FOLDER COMMAND...: is killed so often, goes on each time, and ends. Sets $resumed to how often it went on
# from a checkpoint, and $iterations to what it took without the warm-up: more on a faster machine.
survives_kills() {
  local count=$1 out=$2 from last=0 struck when
  shift 2
  resumed=0
  for ((struck = 0; struck < count; ++struck)); do
    # Every other one, the last among them, once it has saved itself anew: however slow it is, it gets on.
    when=trains_or_ended
    if (((count - struck) % 2)); then when=saves_or_ended; fi
    kill_once "$out" "$when" "$@" --resume "${endless[@]}"  # none ends by itself, however fast it is
    [[ $code -ne 0 ]] || fail "ended by itself"
    from=$(resumes_from)
    [[ -n $from ]] || fail "ended with code $code before it looked for checkpoints"
    ((from >= last)) || fail "went on after $from iterations, when $last were saved"
    if ((from > 0)); then ((++resumed)); fi
    last=$(newest_of "$out")
  done
  # Ranks of a job that was killed save themselves until they notice. Its launcher saves nothing, and Open MPI's has been seen to
  # wait for itself for ever once it was told to end.
  within 60 "the ranks to be gone" no_ranks
  # With little left, it may have ended by itself, or be kept from one that was killed when all was done.
  iterations=$(($(newest_of "$out") + 100))
  kill_once "$out" trains_or_ended "$@" --resume --set iterations=$iterations
  if [[ $code -ne 0 ]]; then run "$@" --resume --set iterations=$iterations --out "$out"; fi
  [[ $code -eq 0 ]] || fail "ended with code $code"
}

# as_if_never_killed FOLDER COMMAND...: the same training without a disturbance, in whole, ends with FOLDER's weights.
as_if_never_killed() {
  local out=$1
  shift
  rm -rf whole
  succeeds "$@" --set iterations="$iterations" --out whole
  [[ $(hash_of "$out") == "$(hash_of whole)" ]] || fail "ended with other weights: $(hash_of "$out"), not $(hash_of whole)"
}
