#!/usr/bin/env python3
"""Table of `ugoki compose` by method: timelines drawn blindly from a database, motions measured from their BVH files.

    python3 scripts/compose_table.py UGOKI DATABASE --out DIR [--methods genetic,beam,paths,genetic-paper] [--count 20] [--seed 0]

Timelines have 2 to 8 keys, last 15 to 300 s, have one or two layers, and every third a tempo. They depend on the seed and
the names and lengths of the database's clips alone. Each search is given the same limit of CPU time (`--cpu`, seconds);
what has not ended by then counts as not solved. Everything is measured by this script from the written files: limb speeds
of gaps and keys, joint distances of candidates, key times, and which clips the layers show.
"""
import argparse
import itertools
import json
import random
import resource
import statistics
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))
from quality import bvh  # noqa: E402

LIMBS = ("leftHand", "rightHand", "leftFoot", "rightFoot")
UNIT_M = 0.01  # of the motions that are written
LOOKS_HZ = 5.0


def draw(clips, count, seed):
    """Timelines as (name, layers, TOML)."""
    rng = random.Random(seed)
    usable = [clip for clip in clips if 1.0 <= clip["seconds"] <= 8.0]
    for number in range(count):
        keys, seconds = rng.randint(2, 8), rng.choice((15, 20, 30, 60, 60, 120, 300))
        keys = min(keys, max(2, int(seconds / 6)))
        bpm = rng.choice((90, 100, 120)) if number % 3 == 2 else None
        layers = "full" if number % 4 == 3 else "upper-lower"
        lines = [f"seconds = {seconds}"] + ([f"bpm = {bpm}"] if bpm else [])
        slot = seconds / keys
        for key in range(keys):
            clip = rng.choice([clip for clip in usable if clip["seconds"] <= 0.8 * slot])
            room = max(slot - clip["seconds"], 0.0)
            at = key * slot + rng.uniform(0.0, 0.5 * room)
            lines += ["[[key]]", f"at = {at:.2f}", f"clip = {json.dumps(clip['name'])}"]
        yield f"{number:02}", layers, seconds, keys, bpm, "\n".join(lines) + "\n"


def run(command, cpu_s):
    """Exit code (None when the limit was hit), CPU seconds, largest memory in MB, text on stderr."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    limit = lambda: resource.setrlimit(resource.RLIMIT_CPU, (int(cpu_s), int(cpu_s) + 5))
    done = subprocess.run(command, capture_output=True, text=True, preexec_fn=limit)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return (None if done.returncode < 0 else done.returncode), cpu, after.ru_maxrss / 1024, done.stderr


def seen_from_hips(motion):
    """Joints with hips and heading removed."""
    hips = motion.positions[:, :1]
    x = motion.frames[:, 0, :, 0]
    angle = np.arctan2(-x[:, 2], x[:, 0])
    c, s = np.cos(angle), np.sin(angle)
    local = motion.positions - hips
    out = local.copy()
    out[..., 0] = c[:, None] * local[..., 0] - s[:, None] * local[..., 2]
    out[..., 2] = s[:, None] * local[..., 0] + c[:, None] * local[..., 2]
    return UNIT_M * out


def measure(folder, tempo):
    """What the written candidates are like."""
    report = json.loads((folder / "candidates.json").read_text())
    speeds = {True: [], False: []}
    looks, different, late, seams = [], [], [], []
    for candidate in report["candidates"]:
        motion = bvh.read(folder / candidate["file"])
        places = seen_from_hips(motion)
        limbs = [motion.names.index(name) for name in LIMBS if name in motion.names]
        ways = np.linalg.norm(np.diff(places[:, limbs], axis=0), axis=-1).mean(-1) * motion.fps
        times = np.arange(len(places)) / motion.fps
        layers = list(candidate["clips"].values())
        in_key = np.ones(len(places), bool)
        for clips in layers:
            own = np.zeros(len(places), bool)
            for clip in clips:
                if clip["key"]:
                    own |= (times >= clip["start_s"]) & (times < clip["end_s"])
            in_key &= own
        for key in (True, False):
            speeds[key].append(ways[in_key[1:] == key])
        step = max(1, round(motion.fps / LOOKS_HZ))
        looks.append((places[::step], ~in_key[::step]))
        if len(layers) > 1:
            shown = []
            for clips in layers:
                names = np.full(len(places), "", object)
                for clip in clips:
                    names[(times >= clip["start_s"]) & (times < clip["end_s"])] = clip["name"].split("/")[0]
                shown.append(names)
            different.append(float(np.mean((shown[0] != shown[1])[~in_key])) if (~in_key).any() else 1.0)
        # With a tempo keys stand on the beat next to their time.
        late += [] if tempo else [abs(key["at_s"] - key["wanted_s"]) for key in candidate["keys"]]
        seams.append(candidate["roughest_seam"])
    apart = []
    for (a, gap_a), (b, gap_b) in itertools.combinations(looks, 2):
        both = min(len(a), len(b))
        use = gap_a[:both] | gap_b[:both]
        if use.any():
            apart.append(float(np.linalg.norm(a[:both][use] - b[:both][use], axis=-1).mean()))
    join = lambda parts: np.concatenate(parts) if parts else np.zeros(0)
    fill, keys = join(speeds[False]), join(speeds[True])
    ratio = lambda q: float(np.quantile(fill, q) / max(np.quantile(keys, q), 1e-3)) if len(fill) and len(keys) else None
    return {
        "candidates": len(report["candidates"]),
        "relaxed": sum("usual threshold" in note for note in report["notes"]),
        "seam": max(seams, default=None),
        "rough": sum(seam > 1.5 for seam in seams),
        "p50": ratio(0.5),
        "p90": ratio(0.9),
        "apart": statistics.median(apart) if apart else None,
        "nearest": min(apart) if apart else None,
        "different": min(different) if different else None,
        "late": max(late, default=0.0),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("ugoki")
    parser.add_argument("database")
    parser.add_argument("--out", required=True)
    parser.add_argument("--methods", default="genetic-paper,genetic,beam,paths")
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--cpu", type=float, default=60.0)
    parser.add_argument("--candidates", type=int, default=8)
    options = parser.parse_args()
    listed = subprocess.run([options.ugoki, "db", "list", options.database, "--json"], capture_output=True, text=True, check=True)
    found = json.loads(listed.stdout)
    clips = found["clips"] if isinstance(found, dict) else found
    clips = sorted(clips, key=lambda clip: clip["name"])
    timelines = list(draw(clips, options.count, options.seed))[options.first:]
    out = Path(options.out)
    out.mkdir(parents=True, exist_ok=True)
    rows = []
    for method in options.methods.split(","):
        # The first search of a set of nodes builds their network; its time is not the search's.
        for name, layers, seconds, keys, bpm, text in timelines:
            file, folder = out / f"{name}.toml", out / f"{method}-{name}"
            file.write_text(text)
            network = [options.ugoki, "network", options.database, "--layers", layers, "--json"]
            network += (["--bpm", str(bpm)] if bpm else []) + (["--whole"] if method == "genetic-paper" else [])
            subprocess.run(network, capture_output=True)
            command = [options.ugoki, "compose", options.database, str(file), "-o", str(folder), "--layers", layers]
            command += ["--method", method, "--candidates", str(options.candidates), "--no-page", "--threads", "1"]
            start = time.time()
            code, cpu, memory, errors = run(command, options.cpu)
            row = {"method": method, "timeline": name, "layers": layers, "seconds": seconds, "keys": keys, "bpm": bpm}
            row |= {"solved": code == 0, "cpu_s": round(cpu, 2), "wall_s": round(time.time() - start, 2), "mb": round(memory)}
            if code == 0:
                row |= measure(folder, bpm)
            else:
                row["why"] = "out of time" if code is None else " ".join(errors.split())[:200]
            rows.append(row)
            print(json.dumps(row), flush=True)
    (out / "rows.json").write_text(json.dumps(rows, indent=1))
    print("\n| method | solved | relaxed | rough candidates | limb speed of fills / keys p50 | p90 | joints apart, median | nearest | different clips | CPU, median | most |")
    print("|---|---|---|---|---|---|---|---|---|---|---|")
    for method in options.methods.split(","):
        own = [row for row in rows if row["method"] == method]
        good = [row for row in own if row["solved"]]
        middle = lambda key: (lambda values: f"{statistics.median(values):.2f}" if values else "")([row[key] for row in good if row.get(key) is not None])
        total = sum(row["candidates"] for row in good)
        cpu = sorted(row["cpu_s"] for row in own)
        print(f"| {method} | {len(good)} of {len(own)} | {sum(row['relaxed'] > 0 for row in good)} | {sum(row['rough'] for row in good)} of {total} | {middle('p50')} | {middle('p90')} | {middle('apart')} m | {middle('nearest')} m | {middle('different')} | {statistics.median(cpu):.1f} s | {cpu[-1]:.1f} s |")


if __name__ == "__main__":
    main()
