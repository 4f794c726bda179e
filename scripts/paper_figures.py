#!/usr/bin/env python3
"""Draws figures 6, 7 and 8 of Kawachi and Suzuki from captures, at the paper's 15 Hz and at 120 Hz.

UGOKI=target/smoke/ugoki UGOKI_CAPTURES=DIR python3 scripts/paper_figures.py [FOLDER]

Every command line is printed as it is run. FOLDER is docs/images/paper unless given.
"""
import os
import subprocess
import sys
import tempfile

UGOKI = os.path.abspath(os.environ.get("UGOKI", "target/smoke/ugoki"))
CAPTURES = os.path.join(os.environ["UGOKI_CAPTURES"], "cmu/locomotion")
INTO = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else "docs/images/paper")
WALK, DOWN = "35_05", "83_08"
RATES = (15, 120)
MAX_BYTES = 100_000


def run(*words):
    print("ugoki", *words)
    done = subprocess.run([UGOKI, *words], capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(done.stderr)


def draw(name, poses, *view):
    picture = os.path.join(INTO, f"{name}.svg")
    run("render", f"{name}.bvh", picture, "--view", "side", "--frames", str(poses), "--size", "1200", *view)
    size = os.path.getsize(picture)
    if size > MAX_BYTES:
        sys.exit(f"{picture}: {size} bytes, at most {MAX_BYTES}")


os.makedirs(INTO, exist_ok=True)
with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    for rate in RATES:
        for clip in (WALK, DOWN):
            run("convert", os.path.join(CAPTURES, f"{clip}.bvh"), f"{clip}-{rate}.bvh", "--fps", str(rate))
        walk, down = f"{WALK}-{rate}.bvh", f"{DOWN}-{rate}.bvh"
        run("loop", walk, f"figure-6-loop-{rate}hz.bvh", "--cycles", "3")
        draw(f"figure-6-loop-{rate}hz", 13)
        for name, stride in (("short", "0.4"), ("long", "0.8"), ("shrinking", "0.7:0.25")):
            run("walk", walk, "-o", f"figure-7-{name}-{rate}hz.bvh", "--stride", stride, "--count", "8")
            draw(f"figure-7-{name}-{rate}hz", 13)
        run("splice", walk, down, walk, "-o", f"figure-8-step-down-{rate}hz.bvh")
        draw(f"figure-8-step-down-{rate}hz", 17)
