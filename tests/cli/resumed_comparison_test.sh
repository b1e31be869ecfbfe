#!/usr/bin/env bash
# A comparison that is interrupted keeps what it measured, and goes on from there while the predictions stay what they were.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
scenario small.yaml
cp "$(dirname "$0")/../../platforms/gcp_k80.xml" here.xml
comparison=(small.yaml --platform here.xml --repeats 2 --out out)


begin tandem compare "${comparison[@]}" --set 'sweep.iterations=[3, 100000]'
within 60 "the first point" has_kept out/measured/1 1
kill -INT "$job"
ends 30
error_is 130 "interrupted; the 1 of 2 points that were finished are in out/measured/1; the same command goes on from there"
[[ ! -e out/comparison.csv ]] || fail "compares what was not measured"
first=$(column out/measured/1/summary.csv iteration_s)

# Others beside it; the first is as it was measured.
succeeds tandem compare "${comparison[@]}" --set 'sweep.iterations=[3, 4]'
grep -q "^Kept from before, in out/predicted/points: 1 of 2 points (1)$" "$scratch/stdout" || fail "predicts all anew"
grep -q "^Kept from before, in out/measured/1/points: 1 of 2 points (1)$" "$scratch/stdout" || fail "measures all anew"
[[ $(column out/measured/1/summary.csv iteration_s | sed -n 1p) == "$first" ]] || fail "the first point is another"
for half in predicted measured/1 measured/2; do is_result "out/$half" 2; done

# A finished one stays until another is whole, interrupted or killed however often, of as many repeats or not.
all_of() { find out -type f -not -path '*/points/*' -not -path '*/.tandem-*' -exec md5sum {} + | sort; }
before=$(all_of)
another=(small.yaml --platform here.xml --out out)
for how in "INT 2 1" "KILL 2 1" "INT 2 1" "INT 3 1" "INT 1 ."; do
  read -r signal repeats half <<<"$how"
  begin tandem compare "${another[@]}" --repeats "$repeats" --set 'sweep.iterations=[5, 100000]'
  within 60 "the first point" has_kept "out/measured/$half" 1
  within 60 "the second point" trains out 1
  kill -"$signal" "$job"
  ends 30
  within 60 "the processes to be gone" no_processes
  where=out/measured/$half/points
  [[ $signal != INT ]] ||
    error_is 130 "interrupted; the 1 of 2 points that were finished are in ${where//\/.\///}, beside an older result; the same command goes on from there"
  [[ $(all_of) == "$before" ]] || fail "the older comparison is another: $(diff <(echo "$before") <(all_of))"
done
succeeds tandem compare "${another[@]}" --set 'sweep.iterations=[5, 6]'
grep -q "^Kept from before, in out/measured/points: 1 of 2 points (1)$" "$scratch/stdout" || fail "measures all anew"
for half in predicted measured; do
  is_result "out/$half" 2
  [[ $(column "out/$half/summary.csv" iterations | xargs) == "5 6" ]] || fail "the older $half is still there"
done
[[ -z $(find out -path 'out/measured/*/*' -type f -o -name points) ]] || fail "still there is something of repeats: $(find out)"

# What was measured before its prediction was made does not count.
rm -r out
begin tandem compare "${comparison[@]}" --set 'sweep.iterations=[3, 100000]'
within 60 "the first point" has_kept out/measured/1 1
kill -INT "$job"
ends 30
sed -i 's|lat="[^"]*"|lat="1ms"|' here.xml
refuses 2 "out/predicted/points holds 2 points of a sweep that is not finished, and none is of this one with this platform and this build; give another --out, or remove that folder" \
  tandem compare "${comparison[@]}" --set 'sweep.iterations=[3, 4]'
rm -r out/predicted/points
succeeds tandem compare "${comparison[@]}" --set 'sweep.iterations=[3, 4]'
! grep "Kept" "$scratch/stdout" || fail "goes on with what another prediction was held against"

# One that makes checkpoints, to go on from after failures, is as easily gone on with. Rank 0 fails, since the job begins when
# that rank does: another one may fail before that on a busy machine, again and again.
rm -r out
failing=("${comparison[@]}" --set 'faults={fail: [{rank: 0, at: 100 ms, back: 200 ms}], recovery: {checkpoint_every: 5}}')
begin tandem compare "${failing[@]}" --set 'sweep.iterations=[20, 100000]'
within 100 "the first point" has_kept out/measured/1 1
kill -INT "$job"
ends 30
error_is 130 "interrupted; the 1 of 2 points that were finished are in out/measured/1; the same command goes on from there"
succeeds tandem compare "${failing[@]}" --set 'sweep.iterations=[20, 30]'
grep -q "^Kept from before, in out/measured/1/points: 1 of 2 points (1)$" "$scratch/stdout" || fail "measures all anew"
