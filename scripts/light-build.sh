#!/bin/sh
# The library with its default features needs no C compiler and builds for WebAssembly.
set -eu
cd "$(dirname "$0")/.."
cargo=${CARGO:-cargo}
CC=/bin/false "$cargo" check --quiet --locked -p ugoki
target=wasm32-unknown-unknown
if rustup target list --installed 2> /dev/null | grep -q "^$target$" || rustup target add "$target" > /dev/null 2>&1; then
  "$cargo" build --quiet --locked -p ugoki --target "$target"
  echo "light build: no C compiler, WebAssembly: passed"
else
  echo "light build: no C compiler: passed; WebAssembly: SKIPPED (1 check), the target $target cannot be installed"
fi
