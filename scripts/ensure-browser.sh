#!/bin/sh
# Prints the path of a Chromium, installing the distribution's when there is none and we may.
# Exit 3: none, and not allowed to install.
set -eu
find_browser() {
  for name in "${UGOKI_BROWSER:-}" chromium chromium-browser google-chrome google-chrome-stable; do
    [ -n "$name" ] && command -v "$name" 2>/dev/null && return 0
  done
  return 1
}
has_cjk_font() {
  command -v fc-list >/dev/null 2>&1 && [ -n "$(fc-list :lang=ja 2>/dev/null | head -n 1)" ]
}
if find_browser >/dev/null && has_cjk_font; then
  find_browser
  exit 0
fi
line="apt-get install -y --no-install-recommends chromium fonts-noto-cjk"
if [ "$(id -u)" = 0 ]; then
  as_root=""
elif command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then
  as_root="sudo -n"
else
  as_root="no"
fi
if [ "$as_root" = no ] || ! command -v apt-get >/dev/null 2>&1; then
  # A browser without a Japanese font still runs the tests that need none.
  find_browser && exit 0
  echo "The browser tests need Chromium and a CJK font. Install them with:" >&2
  echo "$line" >&2
  echo "or skip these tests with UGOKI_NO_BROWSER=1." >&2
  exit 3
fi
echo "installing Chromium and a CJK font" >&2
{
  $as_root apt-get update -q
  # shellcheck disable=SC2086
  DEBIAN_FRONTEND=noninteractive $as_root $line
} >&2
find_browser
