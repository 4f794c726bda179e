#!/bin/sh
# Builds the studio's page into web/dist, which the binary embeds: type check, bundle. `test` also runs its unit tests.
# Without Node the binary embeds a notice instead; in CI that is an error.
set -eu
cd "$(dirname "$0")/../web"
if ! command -v node >/dev/null 2>&1; then
  if [ -n "${CI:-}" ]; then
    echo "The studio's page needs Node 20.19 or newer." >&2
    exit 1
  fi
  echo "SKIPPED: the studio's page, because there is no Node; the binary will have a notice instead" >&2
  exit 0
fi
# Installed packages are kept while the lock file stays as it is.
if ! cmp -s package-lock.json node_modules/.ugoki-lock.json 2>/dev/null; then
  npm ci --silent --no-audit --no-fund
  cp package-lock.json node_modules/.ugoki-lock.json
fi
npm run --silent check
# The same files again must not look newer: the binary would be built again.
rm -rf dist-new
npm run --silent bundle
if diff -rq dist dist-new >/dev/null 2>&1; then
  rm -rf dist-new
else
  # A binary that was built without the page watches this file.
  [ -d dist ] || touch package.json
  rm -rf dist
  mv dist-new dist
fi
[ "${1:-}" != test ] || npm run --silent test
