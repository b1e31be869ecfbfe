#!/usr/bin/env bash
# install_test.sh BUILD SOURCE: what is installed under another prefix works from any folder, without the source tree.
set -euo pipefail
build=$1 source=$2
prefix=$(mktemp -d)
trap 'rm -rf "$prefix"' EXIT
unset TANDEM_HOME
cmake --install "$build" --prefix "$prefix" >/dev/null

fail() {
  echo "install_test: $*" >&2
  exit 1
}

cd /
tandem=$prefix/bin/tandem
"$tandem" list | grep -w gcp_k80 >/dev/null || fail "the installed tandem does not list its platform gcp_k80"
for scenario in "$source"/scenarios/*.yaml; do
  name=$(basename "$scenario")
  "$tandem" check "$prefix/share/tandem/scenarios/$name" >/dev/null || fail "scenarios/$name does not pass tandem check"
done
[[ -x $prefix/bin/tandem-simulate || ! -x $build/bin/tandem-simulate ]] || fail "tandem-simulate is not installed"
[[ -x $prefix/bin/tandem-run || ! -x $build/bin/tandem-run ]] || fail "tandem-run is not installed"
if [[ -x $prefix/bin/tandem-simulate ]]; then
  "$tandem" simulate "$prefix/share/tandem/scenarios/thesis_ps_vs_ring.yaml" --set sweep.model='[resnet50]' \
    --set sweep.workers='[1, 2]' --out "$prefix/result" >/dev/null
  "$tandem" plot speedup "$prefix/result" --out "$prefix/figure.png" >/dev/null
  [[ -s $prefix/figure.png ]] || fail "the installed tandem plots nothing"
fi
