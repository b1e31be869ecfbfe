#!/usr/bin/env bash
# Mistakes in a scenario are found before anything starts, and each is told with its place.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
scenario small.yaml

sed 's/^batch_size/batchsize/' small.yaml >typo.yaml
sed 's/^algorithm: ring/algorithm: rang/' small.yaml >value.yaml
sed 's/^name: small/name: [small/' small.yaml >syntax.yaml
for command in check $(scenario_commands); do
  refuses 2 "typo.yaml:4:1: unknown key 'batchsize'; did you mean 'batch_size'?" tandem "$command" typo.yaml
  refuses 2 "value.yaml:7:12: *'rang'*did you mean*ring*" tandem "$command" value.yaml
  refuses 2 "syntax.yaml:2:*: this is no YAML*" tandem "$command" syntax.yaml
  refuses 2 "--set workers=0: workers is '0', but has to be a whole number of at least 1" \
    tandem "$command" small.yaml --set workers=0
  refuses 2 "--set batch_size=-8: batch_size is '-8', but has to be a whole number of at least 1" \
    tandem "$command" small.yaml --set batch_size=-8
done

if built tandem-simulate; then
  # More than a result is made of in memory; of workers that are simulated as one, one counts.
  sed 's/radical="[^"]*"/radical="0-65536"/' "$(dirname "${BASH_SOURCE[0]}")/../../platforms/gcp_k80.xml" >large.xml
  large=(--platform large.xml --set model=resnet50 --set 'algorithm={name: parameter_server, servers: 1}' --set data=synthetic --set workers=65536 --set warmup_iterations=2 --set iterations=998)
  refuses 2 "iterations times members are 6.55e+07 over all points, of which at most 5e+07 can be recorded; give fewer iterations, or fewer points" \
    tandem check small.yaml "${large[@]}" --set simulation.fold=false
  succeeds tandem check small.yaml "${large[@]}"
fi

sed 's/^workers: 2/workers: 0/' small.yaml >zero.yaml
refuses 2 "zero.yaml:8:10: workers is '0', but has to be a whole number of at least 1" tandem check zero.yaml
sed 's/^batch_size: 8/batch_size: -8/' small.yaml >negative.yaml
refuses 2 "negative.yaml:4:13: batch_size is '-8', but has to be a whole number of at least 1" tandem check negative.yaml
