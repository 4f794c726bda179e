#!/usr/bin/env python3
"""Draws figures 6, 7 and 8 of Kawachi and Suzuki from captures, at the paper's 15 Hz and at 120 Hz.

UGOKI=target/smoke/ugoki UGOKI_CAPTURES=DIR python3 scripts/paper_figures.py [FOLDER]

Needs numpy. Every command line is printed as it is run. FOLDER is docs/images/paper unless given. Figures are seen from the right; the left
side is blue, the right side red, lines are the paths of the ankles.
"""
import os
import subprocess
import sys
import tempfile

import numpy as np

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from quality import bvh  # noqa: E402

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


def chains(names):
    """Joints from the hips outwards, with a colour: legs, trunk, arms."""
    near, far, trunk = "#b8442f", "#2f6fb8", "#3a3f46"
    sides = [("Left", far), ("Right", near)]
    legs = [(["Hips", f"{s}UpLeg", f"{s}Leg", f"{s}Foot", f"{s}ToeBase"], colour) for s, colour in sides]
    arms = [(["Neck1", f"{s}Arm", f"{s}ForeArm", f"{s}Hand"], colour) for s, colour in sides]
    body = [(["Hips", "LowerBack", "Spine", "Spine1", "Neck1", "Head"], trunk)]
    return [([names.index(joint) for joint in chain], colour) for chain, colour in legs + body + arms]


def draw(name, poses):
    motion = bvh.read(f"{name}.bvh").scaled(bvh.CMU_UNIT_M)
    places = motion.positions
    way = places[-1, 0] - places[0, 0]
    along = np.array([way[0], 0, way[2]]) / np.hypot(way[0], way[2])
    x, y = places @ along, places[..., 1]
    left, width, floor, top = x.min() - 0.1, x.max() - x.min() + 0.2, y.min() - 0.08, y.max() + 0.1
    scale = 1200 / width
    height = (top - floor) * scale
    points = lambda frames, joints: " ".join(f"{(x[f, j] - left) * scale:.1f},{(top - y[f, j]) * scale:.1f}" for f, j in zip(frames, joints))
    line = lambda text, colour, wide, more="": f'<polyline points="{text}" fill="none" stroke="{colour}" stroke-width="{wide}" stroke-linejoin="round" stroke-linecap="round"{more}/>'
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="1200" height="{height:.0f}" viewBox="0 0 1200 {height:.0f}">',
           f"<title>{name}</title>", '<rect width="100%" height="100%" fill="#fcfcfa"/>']
    step = max(1, round(motion.fps / 60))
    for side, colour in (("Left", "#2f6fb8"), ("Right", "#b8442f")):
        ankle, frames = motion.index(f"{side}Foot"), range(0, len(motion), step)
        out.append(line(points(frames, [ankle] * len(frames)), colour, 1, ' stroke-opacity=".6"'))
    for frame in np.linspace(0, len(motion) - 1, poses).round().astype(int):
        for chain, colour in chains(motion.names):
            out.append(line(points([frame] * len(chain), chain), colour, 3))
        head = motion.index("Head")
        cx, cy = (x[frame, head] - left) * scale, (top - y[frame, head]) * scale
        out.append(f'<circle cx="{cx:.1f}" cy="{cy:.1f}" r="{0.06 * scale:.1f}" fill="#3a3f46"/>')
    text = "\n".join([*out, "</svg>", ""])
    if len(text) > MAX_BYTES:
        sys.exit(f"{name}: {len(text)} bytes, at most {MAX_BYTES}")
    with open(os.path.join(INTO, f"{name}.svg"), "w", encoding="utf-8") as file:
        file.write(text)


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
