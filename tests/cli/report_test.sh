#!/usr/bin/env bash
# One page of results: what explain says is on it, several are laid side by side, and what is no result is refused.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
scenario small.yaml
# Two points, so that explain has a knee to look for, under a name that is no part of the page.
sed -i "s|^name: .*|name: '<script>alert(1)'|" small.yaml

succeeds tandem simulate small.yaml --out ring --set 'sweep.workers=[1, 2]'
succeeds tandem report ring
[[ $(<"$scratch/stdout") == "wrote ring/report.html" ]] || fail "says something else"
[[ $(grep -c '^Bottleneck: ' ring/report.html) -eq 2 ]] || fail "does not explain both points"
succeeds tandem report ring --point 1 --out first.html
[[ $(grep -c '^Bottleneck: ' first.html) -eq 1 ]] || fail "does not explain one point alone"
grep -q 'Not explained here: 2 of 2 points' first.html || fail "does not say what it leaves out"
grep -qF '<h1>&lt;script&gt;alert(1)</h1>' ring/report.html || fail "does not name the scenario"
[[ $(grep -c '<script' ring/report.html) -eq 1 ]] || fail "holds a script that is not its own"

succeeds tandem simulate small.yaml --out server --set algorithm=parameter_server
succeeds tandem report ring server --no-explanation --out both.html
grep -q 'Side by side' both.html || fail "lays nothing side by side"
! grep -q '^Bottleneck: ' both.html || fail "explains, though it should not"
succeeds tandem report --help
grep -q '^  tandem report results/thesis$' "$scratch/stdout" || fail "its help has no example"

# A result without a trace can't be explained, which is said on the page.
cp -r server untraced
echo '{"traceEvents": []}' >untraced/trace.json
succeeds tandem report untraced --out untraced.html
grep -q "tandem explain can&#x27;t say: " untraced.html || fail "does not say why nothing is explained"

refuses 2 "nowhere: no such folder; *" tandem report nowhere
refuses 2 "nowhere: no such folder; *" tandem report ring nowhere --out other.html
refuses 2 "--point 3: ring has 2 points, counted from 1" tandem report ring --point 3 --out page.html
refuses 2 "--point 3: ring has 2 points, counted from 1" tandem report ring --point 3 --no-explanation --out page.html
refuses 2 "--point 3: ring has 2 points, counted from 1" tandem plot timeline ring --point 3 --out line
refuses 2 "plot: --point 1: speedup is of all points*" tandem plot speedup ring --point 1 --out line
many=(--set workers=1025 --set simulation.fold=false --set iterations=1 --set device=v100 --set platform='{topology: star, hosts: 1025, bandwidth: 10 Gbit/s, latency: 5 us}')
succeeds tandem simulate small.yaml "${many[@]}" --out many
refuses 2 "many/run.json: the network between the hosts was not recorded: the members take more than 1024 hosts; *" tandem plot topology many --out net
refuses 2 "report: --out page.pdf: a report is an .html file" tandem report ring --out page.pdf
refuses 2 "small.yaml: no such folder; *" tandem report small.yaml --out page.html
mkdir empty
refuses 2 "empty: holds no summary.csv, comparison.csv or calibration.yaml; *" tandem report empty
echo notes >notes.html
refuses 2 "notes.html: this is no report, and won't be overwritten; *" tandem report ring --out notes.html
# Of a format that is not known yet; one without a format is older than formats are.
grep -qx '  "format": 1,' ring/run.json || fail "a result has no format"
cp -r ring newer
sed -i 's/^  "format": 1,/  "format": 2,/' newer/run.json
newer="newer/run.json: this result has format 2, but this tandem reads none newer than 1; take a newer tandem, or make the result again"
refuses 2 "$newer" tandem report newer
refuses 2 "$newer" tandem plot speedup newer --out line
refuses 2 "$newer" tandem explain newer
refuses 2 "$newer" tandem export paje newer
sed -i '/^  "format": 2,/d' newer/run.json
succeeds tandem explain newer
succeeds tandem plot breakdown newer --out line
rm -r newer line*
echo '{' >server/run.json
refuses 2 "server/run.json:2:1: not JSON: *" tandem report server
refuses 2 "RESULT is required; *" tandem report
