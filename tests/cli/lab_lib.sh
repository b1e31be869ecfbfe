# shellcheck shell=bash
# What the tests of labs share, beside lib.sh: they skip where this machine or user can make none.

# A lab of this test's own, whatever else is up.
export TANDEM_LAB=test$$

bash "$(dirname "${BASH_SOURCE[0]}")/can_make_labs.sh" || skip "no lab can be made here: it takes root, ip and tc, network namespaces and the tbf shaper"
end_labs() {
  local name
  for name in "$TANDEM_LAB" "${TANDEM_LAB}b"; do tandem lab down --name "$name" &>/dev/null || true; done
}
# shellcheck disable=SC2154  # lib.sh has made that folder
trap 'end_labs; end_what_was_started; rm -rf "$scratch"' EXIT

# namespaces [LAB]: how many a lab has.
namespaces() { ip netns list | grep -cE "^tdm-${1:-$TANDEM_LAB}-(net|h[0-9]+)\b" || true; }
