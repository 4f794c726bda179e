#!/bin/sh
# Builds the Python package as a wheel and tests it in a fresh virtual environment under target/, without Rust on the path.
# Usage: scripts/python.sh smoke | suite | archive
#   smoke: clips and arrays; suite: everything, the tutorial notebook and the numbers; archive: Ray and Lance.
set -eu
cd "$(dirname "$0")/.."
what=${1:-smoke}
tools=target/python-tools
if ! "$tools/bin/maturin" --version > /dev/null 2>&1; then
  if ! python3 -m venv --clear "$tools" 2> /dev/null; then
    echo "installing the distribution's python3-venv" >&2
    as_root=""
    [ "$(id -u)" = 0 ] || as_root="sudo -n"
    $as_root apt-get update -q >&2
    $as_root apt-get install -y --no-install-recommends python3-venv >&2
    python3 -m venv --clear "$tools"
  fi
  "$tools/bin/python" -m pip install --quiet --disable-pip-version-check "maturin>=1.9.4,<2"
fi
# The crates are those that the smoke binary is made of.
CARGO_TARGET_DIR="$PWD/target" "$tools/bin/maturin" build --quiet --profile smoke --locked \
  --manifest-path crates/ugoki-py/Cargo.toml --out target/wheels
wheel=$(ls -t target/wheels/ugoki-*.whl | head -n 1)
venv=target/python-$what
python3 -m venv --clear "$venv"
case $what in
  smoke) packages="pytest" ;;
  suite) packages="pytest scipy pandas nbmake ipykernel upc-pymotion" ;;
  archive) packages="pytest pyarrow pylance ray" ;;
  *) echo "usage: scripts/python.sh smoke | suite | archive" >&2; exit 2 ;;
esac
# shellcheck disable=SC2086
"$venv/bin/python" -m pip install --quiet --disable-pip-version-check "$wheel" $packages
UGOKI_BINARY="$PWD/target/smoke/ugoki"
[ -x "$UGOKI_BINARY" ] && export UGOKI_BINARY || unset UGOKI_BINARY
python="$PWD/$venv/bin/python"
# Neither Rust nor the sources of the package: what is tested is the wheel.
export PATH="$PWD/$venv/bin:/usr/bin:/bin" PYTHONDONTWRITEBYTECODE=1
tests=crates/ugoki-py/tests
case $what in
  smoke) "$python" -m pytest -q -p no:cacheprovider "$tests/test_clip.py" ;;
  suite)
    "$python" -m pytest -q -p no:cacheprovider --ignore "$tests/archive" "$tests"
    "$python" -m pytest -q -p no:cacheprovider --nbmake docs/tutorials/python.ipynb
    "$python" "$tests/measure.py"
    ;;
  archive) "$python" -m pytest -q -p no:cacheprovider "$tests/archive" ;;
esac
