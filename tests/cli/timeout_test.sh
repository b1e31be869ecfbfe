#!/usr/bin/env bash
# A real run in which a member waits longer than the scenario's timeout ends, and says for whom.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
scenario small.yaml

refuses 1 "rank [012] has waited 1e-06 s for rank [012]*; is it a deadlock, or is timeout too short?*" \
  tandem run small.yaml --out out --set algorithm=parameter_server --set timeout='1 us'
succeeds tandem run small.yaml --out out --set algorithm=parameter_server --set timeout=inf
is_result out 1
