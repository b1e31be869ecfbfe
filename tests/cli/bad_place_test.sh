#!/usr/bin/env bash
# Nowhere to run: platforms that lack hosts or devices, jobs that lack slots, commands that do not exist.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
scenario small.yaml

refuses 2 "there is no command 'simulte'; did you mean 'simulate'?*" tandem simulte small.yaml
refuses 2 "*--bogus*" tandem check small.yaml --bogus

if built tandem-simulate; then
  refuses 2 "platform */gcp_k80.xml: has 8 hosts, but the scenario has 9 members*" \
    tandem simulate small.yaml --set workers=9 --out out
  cat >bare.xml <<'END'
<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <cluster id="bare" prefix="host" suffix="" radical="0-1" speed="1Gf" bw="125MBps" lat="50us"/>
</platform>
END
  refuses 2 "platform *bare.xml: host host0 names no device; *--device NAME*" \
    tandem simulate small.yaml --platform bare.xml --out out
  refuses 2 "*k81*did you mean k80?*" tandem simulate small.yaml --platform bare.xml --device k81 --out out
  succeeds tandem simulate small.yaml --platform bare.xml --device k80 --out out
  is_result out 1
  rm -r out
fi
if built tandem-run; then
  unset OMPI_MCA_rmaps_base_oversubscribe
  echo "localhost slots=1" >hosts
  refuses 1 "*not enough slots*" tandem run small.yaml --hostfile hosts --out out
  refuses 2 "can't start nonesuch: No such file or directory" tandem run small.yaml --launcher nonesuch --out out
fi
