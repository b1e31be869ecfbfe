#!/usr/bin/env bash
# Platforms that cannot hold the scenario: too few hosts, no device, another kind of file.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
scenario small.yaml
commands=(simulate)
! built tandem-run || commands+=(compare)

sed '/^platform/d' small.yaml >placeless.yaml
cat >bare.xml <<'END'
<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <cluster id="bare" prefix="node-" suffix="" radical="0-3" speed="1Gf" bw="125MBps" lat="50us"/>
</platform>
END
echo "<platform" >broken.xml
sed 's/bare/named/; s|/>|><prop id="device" value="k8O"/></cluster>|' bare.xml >misnamed.xml

sed 's/50us/-1s/' bare.xml >early.xml
sed 's/125MBps/0Bps/' bare.xml >blocked.xml

for command in "${commands[@]}"; do
  refuses 2 "platform bare.xml: host node-0 names no device; *--device NAME*" \
    tandem "$command" small.yaml --platform bare.xml --out out
  refuses 2 "platform misnamed.xml: *no k8O.yaml in */platforms/devices; did you mean k80?" \
    tandem "$command" small.yaml --platform misnamed.xml --out out
  refuses 2 "platform early.xml: link *: latency is -1, but has to be at least 0 s" \
    tandem "$command" small.yaml --platform early.xml --device k80 --out out
  refuses 2 "platform blocked.xml: link *: bandwidth is 0, but has to be above 0 B/s" \
    tandem "$command" small.yaml --platform blocked.xml --device k80 --out out
  refuses 2 "platform broken.xml: *" tandem "$command" small.yaml --platform broken.xml --out out
  refuses 2 "platform */gcp_k80.xml: has 8 hosts, but the scenario has 9 members*" \
    tandem "$command" small.yaml --set workers=9 --out out
  refuses 2 "platform */gcp_k80.xml: has 8 hosts, but the scenario has 9 members*" \
    tandem "$command" small.yaml --set workers=8 --set algorithm=parameter_server --out out
  refuses 2 "placeless.yaml: platform is missing*" tandem "$command" placeless.yaml --out out
done
succeeds tandem simulate small.yaml --platform bare.xml --device k80 --out out
