#!/usr/bin/env bash
# What the command line names and there is not: one line, with the nearest name where one is near.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
scenario small.yaml

refuses 2 "unknown command 'simulat'; did you mean 'simulate'?*" tandem simulat small.yaml
refuses 2 "unknown command 'simulat'; did you mean 'simulate'?*" tandem simulat --help
refuses 2 "*A subcommand is required; see tandem --help" tandem
refuses 2 "no small_.yaml in */scenarios; known: custom_model, *" tandem check small_
refuses 2 "nowhere/small.yaml: no such file" tandem check nowhere/small.yaml
refuses 2 "*smal.yaml: no such file" tandem check smal.yaml
refuses 2 "*SCENARIO is required*" tandem check
refuses 2 "unknown kind 'model'; did you mean 'models'?" tandem list model
refuses 2 "--set workers: write it as key=value*" tandem check small.yaml --set workers
refuses 2 "--set worker=2: unknown key 'worker'; did you mean 'workers'?" tandem check small.yaml --set worker=2
refuses 2 "--platform gcp_k8: platform: no gcp_k8.xml in */platforms; did you mean 'gcp_k80'?" tandem check small.yaml --platform gcp_k8
refuses 2 "--device k8: device: no k8.yaml in */platforms/devices; did you mean 'k80'?" tandem check small.yaml --device k8
refuses 2 "--device cudda: device: no cudda.yaml in */platforms/devices; did you mean 'cuda'?" tandem check small.yaml --device cudda
for transport in mpi ipc nccl; do
  to_gpus="transport $transport is from GPU to GPU, but a real run of small computes on the CPU; give --device cuda, or leave transport out"
  refuses 2 "$to_gpus" tandem check small.yaml --set transport=$transport
  ! built tandem-run || refuses 2 "$to_gpus" tandem run small.yaml --set transport=$transport
  succeeds tandem check small.yaml --set transport=$transport --device cuda
done
for command in check $(scenario_commands); do
  refuses 2 "unknown option '--sett'; did you mean '--set'?*" tandem "$command" small.yaml --sett workers=2
done
if built tandem-run; then
  for words in "--lab other small.yaml" "small.yaml --lab other"; do
    # shellcheck disable=SC2086  # several words
    refuses 2 "'*' is one argument too many; what --lab takes follows a '=', as in --lab=other" tandem run $words
  done
  refuses 2 "-n 0: workers is '0', but has to be a whole number of at least 1" tandem run small.yaml -n 0
  for words in "--lab small.yaml extra" "small.yaml extra --lab" "small.yaml --lab small.yaml" "-- --lab extra"; do
    # shellcheck disable=SC2086  # several words
    refuses 2 "'*' is one argument too many" tandem run $words
  done
fi
! built tandem-lab || refuses 2 "--hosts three: this is no whole number, or one that it can't have; see tandem lab up --help" tandem lab up --hosts three
for program in tandem-simulate tandem-run; do
  built $program || continue
  refuses 2 "POINT is required*" $program
  refuses 2 "*--result*" $program small.yaml
done
