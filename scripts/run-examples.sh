#!/bin/sh
# Runs every example of the library; each must end with success.
set -eu
cd "$(dirname "$0")/.."
for file in crates/ugoki/examples/*.rs; do
  [ -e "$file" ] || continue
  name=$(basename "$file" .rs)
  echo "example $name"
  "${CARGO:-cargo}" run --quiet --locked -p ugoki --example "$name" > /dev/null
done
