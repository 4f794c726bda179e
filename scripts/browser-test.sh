#!/bin/sh
# Opens the demo page of the given binary in a headless browser and checks what a person would see, and plays our
# glTF, VRM and VRMA files there.
set -eu
cd "$(dirname "$0")/.."
binary=$1
if [ -n "${UGOKI_NO_BROWSER:-}" ]; then
  if [ -n "${CI:-}" ]; then
    echo "UGOKI_NO_BROWSER must not be set in CI" >&2
    exit 1
  fi
  echo "SKIPPED: browser tests, because UGOKI_NO_BROWSER is set"
  exit 0
fi
if ! command -v node >/dev/null 2>&1; then
  echo "The browser tests need Node 20.19 or newer; install it or set UGOKI_NO_BROWSER=1." >&2
  exit 1
fi
node -e '
  const [major, minor] = process.versions.node.split(".").map(Number);
  const fits = (major === 20 && minor >= 19) || (major === 22 && minor >= 12) || major > 22;
  if (!fits) {
    console.error(`Node ${process.versions.node} does not do, expected 20.19 or newer, or 22.12 or newer`);
    process.exit(1);
  }'
UGOKI_BROWSER=$(sh scripts/ensure-browser.sh)
export UGOKI_BROWSER
if ! cmp -s web/package-lock.json web/node_modules/.ugoki-lock.json 2>/dev/null; then
  (cd web && npm ci --silent --no-audit --no-fund)
fi
# Files for three.js, three-vrm and the Khronos validator, with the places of all joints.
UGOKI_GLTF_FOLDER="$PWD/target/gltf-files"
export UGOKI_GLTF_FOLDER
rm -rf "$UGOKI_GLTF_FOLDER"
"${CARGO:-cargo}" run --quiet --profile smoke --locked -p ugoki --example gltf_files -- "$UGOKI_GLTF_FOLDER" >/dev/null
UGOKI_BINARY="$PWD/$binary" node --test web/tests/*.test.mjs
