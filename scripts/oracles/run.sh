#!/bin/sh
# Compares the dynamics with Pinocchio and MuJoCo, and written tables with numpy, in a virtual environment of its own; with
# UGOKI_CAPTURES also joins and loops some captures and judges what was written.
# Usage: scripts/oracles/run.sh [number of states]
set -eu
cd "$(dirname "$0")/../.."
venv=target/oracles-venv
# An environment that was moved, or not finished, is created again.
if ! "$venv/bin/python" -m pip --version > /dev/null 2>&1; then
  python3 -m venv --clear "$venv"
fi
"$venv/bin/python" -m pip install --quiet --disable-pip-version-check -r scripts/oracles/requirements.txt
cargo run --quiet -p ugoki --example dynamics_oracle -- "${1:-200}" > target/dynamics-oracle.json
"$venv/bin/python" scripts/oracles/dynamics.py target/dynamics-oracle.json
rm -rf target/numpy-oracle
cargo run --quiet -p ugoki --example numpy_oracle -- target/numpy-oracle > /dev/null
"$venv/bin/python" scripts/oracles/tables.py target/numpy-oracle
if [ -n "${UGOKI_CAPTURES:-}" ]; then
  cargo build --quiet --profile smoke -p ugoki-cli
  # Walks, a jog, stairs across subjects, and people that stand with straight knees; all pairs take half an hour.
  "$venv/bin/python" scripts/oracles/seams.py splice 16_15 35_25 36_01 69_24 83_08
  "$venv/bin/python" scripts/oracles/seams.py loop 16_15 35_05 35_25 80_10 80_13 80_48 141_21 18_08 77_02
fi
