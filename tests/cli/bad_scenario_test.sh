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

sed 's/^workers: 2/workers: 0/' small.yaml >zero.yaml
refuses 2 "zero.yaml:8:10: workers is '0', but has to be a whole number of at least 1" tandem check zero.yaml
sed 's/^batch_size: 8/batch_size: -8/' small.yaml >negative.yaml
refuses 2 "negative.yaml:4:13: batch_size is '-8', but has to be a whole number of at least 1" tandem check negative.yaml
