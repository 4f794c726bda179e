#!/usr/bin/env python3
"""Feet of filtered archive clips, measured independently of Ugoki: stances by speed and height in the source.

    filter_feet.py UGOKI ARCHIVE [--half report] [--clips 40]

Slide is the extent of a stance over the ground; "under" the deepest point of an ankle or toe below the ground between stances.
Needs numpy.
"""
import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent))
from quality import clips


def row(label, slides, skates, under, pops):
    slides = np.concatenate(slides)
    print(f"| {label} | {np.median(slides):.1f} | {np.percentile(slides, 95):.1f} | {slides.max():.0f} | {np.mean(skates):.1f} | {np.median(under):.1f} | {max(under):.0f} | {pops} |")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("ugoki")
    parser.add_argument("archive")
    parser.add_argument("--half", default="report")
    parser.add_argument("--clips", type=int, default=40)
    args = parser.parse_args()
    files = [file for file in clips.sample(clips.archive_clips(args.archive, args.half), 3 * args.clips, seed=1)]
    bodies = [(file, body) for file in files if len(body := clips.source(file)) > 90 and not clips.is_broken(body) and body.stances][: args.clips]
    print(f"{len(bodies)} clips of the {args.half} half, {sum(len(b.stances) for _, b in bodies)} stances")
    print("| | slide mm: median | 95 % | worst | speed of stances mm/s | under mm: median | worst | clips with a knee that pops |\n|---|---|---|---|---|---|---|---|")
    row("source", [b.slides_mm(b.stances) for _, b in bodies], [b.skate_mm_s(b.stances) for _, b in bodies], [b.penetration_mm(b.stances) for _, b in bodies], "")
    with tempfile.TemporaryDirectory() as folder:
        for words in (["--kernel", "gauss:4"], ["--kernel", "gauss:4", "--feet", "free"], ["--kernel", "box:51"], ["--kernel", "box:51", "--feet", "free"], ["--auto"]):
            slides, skates, under, pops, worse = [], [], [], 0, []
            for file, body in bodies:
                out = Path(folder, "out.bvh")
                out.unlink(missing_ok=True)
                subprocess.run([args.ugoki, "filter", file, out, *words], check=True, capture_output=True)
                result = clips.result(out, body)
                slides.append(result.slides_mm(body.stances))
                skates.append(result.skate_mm_s(body.stances))
                under.append(result.penetration_mm(body.stances))
                pops += bool(result.knee_pop(body) > 2.0)
                if np.median(slides[-1]) > np.median(body.slides_mm(body.stances)) + 0.5:
                    worse.append(clips.clip_name(file))
            row(" ".join(words), slides, skates, under, pops)
            if "free" not in words:
                print(f"clips whose median slide grew by over 0.5 mm: {len(worse)} {' '.join(worse[:8])}", file=sys.stderr)


main()
