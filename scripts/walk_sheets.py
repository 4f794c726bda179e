#!/usr/bin/env python3
"""Draws the pictures of walks in docs/methods/segments.md from written BVH files.

UGOKI=target/smoke/ugoki UGOKI_CAPTURES=DIR python3 scripts/walk_sheets.py [FOLDER]

Every command line is printed as it is run; FOLDER is docs/images unless given.
"""
import json
import os
import subprocess
import sys
import tempfile

UGOKI = os.path.abspath(os.environ.get("UGOKI", "target/smoke/ugoki"))
SOURCE = os.path.join(os.environ["UGOKI_CAPTURES"], "cmu/locomotion/35_05.bvh")
INTO = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else "docs/images")
WALKS = {
    "walk-shrink": ["--stride", "0.7:0.25", "--count", "8"],
    "walk-03": ["--stride", "0.3", "--count", "8"],
    "walk-05": ["--stride", "0.5", "--count", "8"],
    "walk-07": ["--stride", "0.7", "--count", "8"],
    "walk-09": ["--stride", "0.9", "--count", "8"],
    "walk-left": ["--turn", "90", "--stride", "0.6", "--count", "8"],
    "walk-right": ["--turn", "-90", "--stride", "0.6", "--count", "8"],
}


def run(*words):
    print("ugoki", *words)
    done = subprocess.run([UGOKI, *words], capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(done.stderr)
    return done.stdout


def footsteps(kind):
    """Eight steps: 25 cm to the left by every second one, or 0.55 m each and 15 cm up or down from the fourth on."""
    stride = "0" if kind == "side" else "0.55"
    plan = json.loads(run("walk", SOURCE, "--stride", stride, "--count", "8", "-o", "plan.bvh", "--json"))
    steps, left = [], 0.0
    for at, step in enumerate(plan["steps"]):
        x, y, z = step["planned"]
        if kind == "side":
            left += 0.25 if step["foot"] == "left" else 0.0
            x += left + (0.03 if step["foot"] == "left" else -0.03)
        elif at >= 3:
            y += 0.15 if kind == "up" else -0.15
        steps.append({"foot": step["foot"], "x": x, "y": y, "z": z, "heading_deg": step["heading_deg"]})
    with open(f"{kind}.json", "w", encoding="utf-8") as file:
        json.dump({"steps": steps}, file)


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    for name, words in WALKS.items():
        run("walk", SOURCE, *words, "-o", f"{name}.bvh")
    run("convert", SOURCE, "slow.bvh", "--fps", "15")
    run("walk", "slow.bvh", "--stride", "0.7:0.25", "--count", "8", "-o", "walk-shrink-15hz.bvh")
    for kind in ["side", "up", "down"]:
        footsteps(kind)
        run("walk", SOURCE, "--steps", f"{kind}.json", "-o", f"walk-{kind}.bvh")
    for name in [*WALKS, "walk-shrink-15hz", "walk-side", "walk-up", "walk-down"]:
        run("render", f"{name}.bvh", os.path.join(INTO, f"{name}.png"), "--size", "640", "--frames", "8")
