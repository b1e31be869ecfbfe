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

sed 's/125MBps/2Gbs/' bare.xml >unknown_unit.xml
sed 's/125MBps/2000/' bare.xml >unitless.xml
sed 's/0-3/0-99999999999/' bare.xml >countless.xml
sed 's/50us/50uss/' unitless.xml >twofold.xml

sed 's/125MBps/infBps/' bare.xml >endless.xml
sed 's/125MBps/1e300Bps/' bare.xml >boundless.xml
sed 's|  <cluster.*|<zone id="z" routing="Full">&<cluster id="more" prefix="m-" suffix="" radical="0-9999999" speed="1Gf" bw="1GBps" lat="1us"/></zone>|' \
  bare.xml >crowded.xml
sed 's|  <cluster.*||' bare.xml >zoneless.xml

cat >islands.xml <<'END'
<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <zone id="sea" routing="Full">
    <host id="left" speed="1Gf"/>
    <host id="right" speed="1Gf"/>
  </zone>
</platform>
END
sed 's/<host id="right"/<hots id="right"/' islands.xml >misspelt.xml
sed 's/Full/None/' islands.xml >unrouted.xml
sed 's/Full/Foll/' islands.xml >unknown.xml
sed 's/Full/Dijkstra/' islands.xml >wayless.xml

sed 's|</zone>|<link id="way" bandwidth="1GBps" latency="1us"/><route src="left" dst="right"><link_ctn id="way"/></route></zone>|' \
  islands.xml >failing.xml
for burst in much 0.001; do
  sed "s|latency=\"1us\"/>|latency=\"1us\"><prop id=\"burst\" value=\"$burst\"/></link>|" failing.xml >bursting.xml
  refuses 2 "platform bursting.xml: link way: property burst is '$burst', but has to be a number of bytes, such as 17600" \
    tandem check small.yaml --platform bursting.xml --device k80
done
# What is a letter from a property is pointed out; others are their author's own.
sed -e 's|<host id="left" speed="1Gf"/>|<host id="left" speed="1Gf"><prop id="zone" value="a"/><prop id="bord" value="a"/><prop id="Role" value="a"/></host>|' \
  -e 's|<zone id="sea" routing="Full">|&<prop id="calibraton" value="sea.yaml"/>|' \
  -e 's|latency="1us"/>|latency="1us"><prop id="brust" value="9000"/></link>|' failing.xml >nearly.xml
succeeds tandem simulate small.yaml --platform nearly.xml --device k80 --out nearly
for pair in "calibraton' of zone sea: did you mean 'calibration" "bord' of host left: did you mean 'board" "Role' of host left: did you mean 'role" "brust' of link way: did you mean 'burst"; do
  grep -q "^warning: .*property '$pair'?" "$scratch/stdout" || fail "does not say: property '$pair'?"
done
[[ $(grep -o "did you mean" "$scratch/stdout" | wc -l) -eq 4 ]] || fail "asks of other properties too"
rm -r nearly
sed 's/"bord" value="a"/"board" value=""/' nearly.xml >boardless.xml
refuses 2 "platform boardless.xml: host left: property board is empty, *" tandem simulate small.yaml --platform boardless.xml --device k80 --out out
sed -i 's|<host id="right" speed="1Gf"|& state_file="right.fail"|' failing.xml
printf '1e-9 0\n' >right.fail
refuses 2 "platform failing.xml: host right of rank 1 fails at 1e-09 s of simulated time*faults.fail*" \
  tandem simulate small.yaml --platform failing.xml --device k80 --out out

sed -i 's/state_file="[^"]*"//; s|<link id="way"|& bandwidth_file="odd.bw"|' failing.xml
printf '0.0 fast\n' >odd.bw
refuses 2 "platform failing.xml: a bandwidth_file, *has what is no number*" \
  tandem check small.yaml --platform failing.xml --device k80
sed 's/bandwidth_file="odd.bw"/latency_file="odd.bw"/' failing.xml >slower.xml
printf '0.1 0.01\n' >odd.bw
refuses 2 "platform slower.xml: has a latency_file, *faults.links*" tandem check small.yaml --platform slower.xml --device k80
sed 's|<cluster|<config><prop id="network/bandwidth-factor" value="fast"/></config>&|' bare.xml >odd.xml
refuses 2 "platform odd.xml: a <prop> of <config> has a value of the wrong kind*" \
  tandem check small.yaml --platform odd.xml --device k80

for command in "${commands[@]}"; do
  refuses 2 "platform islands.xml: has no route from left to right" \
    tandem "$command" small.yaml --platform islands.xml --device k80 --out out
  refuses 2 "platform unrouted.xml: *oute*" tandem "$command" small.yaml --platform unrouted.xml --device k80 --out out
  refuses 2 "platform misspelt.xml:6: *" \
    tandem "$command" small.yaml --platform misspelt.xml --device k80 --out out
  refuses 2 "platform unknown.xml: a zone's routing is none that SimGrid knows*" tandem "$command" small.yaml --platform unknown.xml --device k80 --out out
  refuses 2 "platform star *hosts=1: has 1 host, but the scenario has 2 members*" \
    tandem "$command" small.yaml --set platform='{topology: star, bandwidth: 1 GB/s, latency: 0, hosts: 1, device: k80}' --out out
  refuses 2 "platform */gcp_k80.xml: has no nodes of one size *give algorithm.node_size*" \
    tandem "$command" small.yaml --set algorithm=hierarchical --out out
  refuses 2 "platform bare.xml: host node-0 names no device; *--device NAME*" \
    tandem "$command" small.yaml --platform bare.xml --out out
  refuses 2 "platform misnamed.xml: *no k8O.yaml in */platforms/devices; did you mean 'k80'?" \
    tandem "$command" small.yaml --platform misnamed.xml --out out
  refuses 2 "platform early.xml: link *: latency is -1, but has to be at least 0 s" \
    tandem "$command" small.yaml --platform early.xml --device k80 --out out
  refuses 2 "platform blocked.xml: link *: bandwidth is 0, but has to be above 0 B/s" \
    tandem "$command" small.yaml --platform blocked.xml --device k80 --out out
  refuses 2 "platform unknown_unit.xml:4: unknown unit: Gbs; units are such as *" \
    tandem "$command" small.yaml --platform unknown_unit.xml --device k80 --out out
  refuses 2 "platform unitless.xml: a figure without its unit: '2000' for bw of cluster bare*'Bps'*" \
    tandem "$command" small.yaml --platform unitless.xml --device k80 --out out
  for name in endless boundless; do
    refuses 2 "platform $name.xml: link *: bandwidth is *, but has to be above 0 B/s and at most 1e+30" \
      tandem "$command" small.yaml --platform "$name.xml" --device k80 --out out
  done
  refuses 2 "platform crowded.xml: radical makes 10000004 hosts, but at most 1000000 are possible *" \
    tandem "$command" small.yaml --platform crowded.xml --device k80 --out out
  for name in zoneless wayless; do
    refuses 2 "platform $name.xml: SimGrid crashed on it; *" tandem "$command" small.yaml --platform "$name.xml" --device k80 --out out
  done
  refuses 2 "platform twofold.xml*: *unit*" tandem "$command" small.yaml --platform twofold.xml --device k80 --out out
  refuses 2 "platform countless.xml: radical, core or another count has what is no whole number up to *" \
    tandem "$command" small.yaml --platform countless.xml --device k80 --out out
  refuses 2 "platform broken.xml*: *" tandem "$command" small.yaml --platform broken.xml --out out
  refuses 2 "platform */gcp_k80.xml: has 8 hosts, but the scenario has 9 members*" \
    tandem "$command" small.yaml --set workers=9 --out out
  refuses 2 "platform */gcp_k80.xml: has 8 hosts, but the scenario has 9 members*" \
    tandem "$command" small.yaml --set workers=8 --set algorithm=parameter_server --out out
  refuses 2 "placeless.yaml: platform is missing*" tandem "$command" placeless.yaml --out out
done
refuses 2 "platform islands.xml: has no route from left to right" \
  tandem check small.yaml --platform islands.xml --device k80
refuses 2 "platform */gcp_k80.xml: has no nodes of one size *" tandem check small.yaml --set algorithm=hierarchical
succeeds tandem simulate small.yaml --platform bare.xml --device k80 --out out
