#!/bin/sh
# Paths that the documentation names in backquotes must exist, and so must the files it links to.
set -eu
cd "$(dirname "$0")/.."
bad=0
for page in README.md README.ja.md CHANGELOG.md CONTRIBUTING.md $(find docs -name '*.md'); do
  for path in $(grep -oE '`(crates|docs|web|fuzz|scripts)/[A-Za-z0-9_./-]+`' "$page" | tr -d '`' | sort -u); do
    # What the web build makes is not in a fresh clone.
    case $path in web/dist*) continue ;; esac
    [ -e "$path" ] || { echo "$page names $path, which does not exist"; bad=1; }
  done
  for link in $(grep -oE '\]\([^)#: ]+\)' "$page" | sed 's/^](//; s/)$//' | sort -u); do
    [ -e "$(dirname "$page")/$link" ] || { echo "$page links to $link, which does not exist"; bad=1; }
  done
done
[ "$bad" = 0 ] && echo "documentation: all paths exist"
exit "$bad"
