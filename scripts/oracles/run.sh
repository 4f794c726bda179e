#!/bin/sh
# Compares the dynamics with Pinocchio and MuJoCo, and written tables with numpy, in a virtual environment of its own.
# Usage: scripts/oracles/run.sh [number of states]
set -eu
cd "$(dirname "$0")/../.."
venv=target/oracles-venv
# An environment that was moved, or not finished, is made anew.
if ! "$venv/bin/python" -m pip --version > /dev/null 2>&1; then
  python3 -m venv --clear "$venv"
fi
"$venv/bin/python" -m pip install --quiet --disable-pip-version-check -r scripts/oracles/requirements.txt
cargo run --quiet -p ugoki --example dynamics_oracle -- "${1:-200}" > target/dynamics-oracle.json
"$venv/bin/python" scripts/oracles/dynamics.py target/dynamics-oracle.json
rm -rf target/numpy-oracle
cargo run --quiet -p ugoki --example numpy_oracle -- target/numpy-oracle > /dev/null
exec "$venv/bin/python" scripts/oracles/tables.py target/numpy-oracle
