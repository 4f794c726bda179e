#!/bin/sh
# The route to FBX of docs/formats/fbx.md: what Ugoki writes goes through Blender's importers and FBX exporter and is read
# back by Ugoki (ufbx) and by three.js's FBXLoader. Downloads Blender as a module, 370 MB, into target/.
# Usage: scripts/oracles/fbx.sh [MOTION…]   (default: some sample motions, and captures where UGOKI_CAPTURES is set)
set -eu
cd "$(dirname "$0")/../.."
venv=target/oracles-bpy
ugoki=target/smoke/ugoki
modules=${NODE_MODULES:-web/node_modules}
"$venv/bin/python" -m pip --version > /dev/null 2>&1 || python3 -m venv --clear "$venv"
"$venv/bin/python" -m pip install --quiet --disable-pip-version-check bpy==4.5.15
[ -x "$ugoki" ] || cargo build --profile smoke --locked -p ugoki-cli
[ -d "$modules/three" ] || (cd web && npm ci --silent)
out=target/oracles-fbx
rm -rf "$out"
mkdir -p "$out"
if [ $# -eq 0 ]; then
  set -- 'sample#walk' 'sample#run' 'sample#squat' 'sample#turn-left' 'sample#reach-up'
  if [ -n "${UGOKI_CAPTURES:-}" ]; then
    set -- "$@" "$UGOKI_CAPTURES/cmu/locomotion/35_05.bvh" "$UGOKI_CAPTURES/dialects/mixamo_namespaced.bvh" \
      "$UGOKI_CAPTURES/asfamc/11_01.amc" "$UGOKI_CAPTURES/gltf/CesiumMan.glb"
  fi
fi
failed=0
number=0
for motion in "$@"; do
  number=$((number + 1))
  name=$out/$number
  "$ugoki" convert "$motion" "$name.glb" 2> /dev/null > /dev/null
  "$ugoki" convert "$name.glb" "$name.trc" 2> /dev/null > /dev/null
  "$ugoki" convert "$name.glb" "$name.bvh" 2> /dev/null > /dev/null
  fps=$("$ugoki" info "$name.glb" --json | "$venv/bin/python" -c 'import json,sys; print(round(json.load(sys.stdin)["fps"]))')
  for kind in glb bvh; do
    "$venv/bin/python" scripts/oracles/to_fbx.py "$name.$kind" "$name-$kind.fbx" "$fps" > /dev/null 2>&1
    echo "$motion, by $kind"
    "$ugoki" convert "$name-$kind.fbx" "$name-$kind.trc" 2> /dev/null > /dev/null
    "$venv/bin/python" - "$name.trc" "$name-$kind.trc" << 'END' || failed=1
import sys


def table(file):
    lines = open(file, encoding="utf-8").read().splitlines()
    labels = [label for label in lines[3].split("\t")[2:] if label]
    return labels, [[float(v) for v in line.split("\t")[2:]] for line in lines[5:] if line.strip()]


(names, ours), (others, theirs) = table(sys.argv[1]), table(sys.argv[2])
missing = [name for name in names if name not in others]
worst = 0.0
for a, b in zip(ours, theirs):
    for i, name in enumerate(names):
        if name not in missing:
            j = others.index(name)
            worst = max(worst, sum((a[3 * i + k] - b[3 * j + k]) ** 2 for k in range(3)) ** 0.5)
print(f"  Ugoki:    {len(theirs)} frames, {len(names)} joints, worst {worst:.4f} mm, missing {len(missing)} {missing}")
sys.exit(worst > 0.1 or len(ours) != len(theirs))
END
    printf '  '
    node scripts/oracles/read_fbx.mjs "$name-$kind.fbx" "$name.trc" "$modules" || failed=1
  done
done
exit $failed
