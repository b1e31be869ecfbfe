#!/usr/bin/env bash
# Calibrate this machine, then predict and measure on what came out of it.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
scenario small.yaml

for command in calibrate compare; do
  refuses 2 "--figure of.gif: a figure is a .png, .pdf or .svg; without an ending, the first two are made" \
    tandem "$command" small.yaml --out none --figure of.gif
done
run tandem calibrate small.yaml --set sweep.batch_size='[8, 16]' --out here --figure fit.svg
[[ $code -eq 0 ]] || fail "ended with code $code"
[[ $(grep -c "^tandem: warning: small.yaml: of its models and batch sizes mnist_cnn, 8 is calibrated, " "$scratch/stderr") == 1 ]] ||
  fail "does not say which batch size is calibrated"
sed -i '/: of its models and batch sizes /d' "$scratch/stderr"
# Where others use the machine, what was measured may say little, which is said in one line and in the file.
! grep -v '^tandem: warning: here/calibration.yaml: .*; so far off predictions may be: calibrate again .*' "$scratch/stderr" ||
  fail "said something else on stderr"
warnings=$(grep -c warning "$scratch/stderr") || true
((warnings == ($(grep -c '^# Doubtful: ' here/calibration.yaml || true) > 0))) || fail "warned $warnings times of $(grep Doubtful here/calibration.yaml)"
! grep -E '(latency_s|seconds_per_byte|fitted): -' here/calibration.yaml || fail "a message takes less than nothing"
for key in train window; do
  grep -qx "${key}_bytes: 0" here/calibration.yaml || fail "ranks of one host have a $key: $(grep ${key}_bytes here/calibration.yaml)"
done
[[ $(names here) == "calibration.yaml devices platform.xml" ]] || fail "here holds $(names here)"
[[ $(names here/devices) == *.yaml ]] || fail "here/devices holds $(names here/devices)"

[[ $(head -1 fit.csv) == panel,* && $(<fit.svg) == *"</svg>"* ]] || fail "there is no figure of the calibration"

succeeds tandem compare small.yaml --platform here/platform.xml --out out --figure of
[[ -s of.png && -s of.pdf && -s of.csv ]] || fail "there is no figure of the comparison"
[[ $(names out) == "comparison.csv measured members.csv predicted timeline.json" ]] || fail "out holds $(names out)"
for world in simulated real; do
  grep -q "\"name\":\"$world worker 1 " out/timeline.json || fail "no $world worker is on the timeline"
done
is_result out/predicted 1
is_result out/measured 1
[[ $(head -1 out/comparison.csv) == algorithm,model,workers,quantity,predicted,measured,error_percent,repeats,measured_low,measured_high,device ]] ||
  fail "other columns: $(head -1 out/comparison.csv)"
for quantity in iteration_s sent_bytes_per_worker; do
  grep -qE "^ring,mnist_cnn,2,$quantity,[0-9.e+-]+,[0-9.e+-]+,[0-9.e+-]+,1,[0-9.e+-]+,[0-9.e+-]+,[^,]+$" out/comparison.csv ||
    fail "no $quantity is compared: $(<out/comparison.csv)"
done
# Bytes are counted, not timed.
grep -qE "^ring,mnist_cnn,2,sent_bytes_per_worker,([0-9.e+]+),\1,0," out/comparison.csv ||
  fail "the worlds send different amounts: $(<out/comparison.csv)"
