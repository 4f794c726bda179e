"""The tables of docs/results/segments.md, "Joining" and "Looping": measured from written files by numpy alone.

Usage: UGOKI=target/smoke/ugoki UGOKI_CAPTURES=DIR seams.py loop|splice [NAME …] [-- OPTION …]. Runs the binary on captures
(all of cmu for loops; for splices every ordered pair of cmu/locomotion) and judges the NPZ files it writes:
how far labelled heels and toes move, knees and elbows that bend the wrong way or change their side at once, knees that bend
faster and legs that come nearer than in the sources, accelerations at and around seams. Ends with 1 when a
result breaks one of `FORBIDDEN`. `SEAMS_JOBS` of them are made at a time (1).
"""

import json
import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

from tables import forward_kinematics, rotate

UGOKI = os.environ.get("UGOKI", "target/smoke/ugoki")
POINTS = ["leftFoot", "leftToes", "rightFoot", "rightToes"]
# A hinge has flipped where its middle joint leaps across the line from its upper to its lower end by more than this in one frame,
# from one side to the other, oftener than in the sources: twice what the straightest captured knees waver by, mm.
FLIP_MM = 8.0
# A middle joint leaps when it moves by this much more in one frame, against that line, than it ever does in the sources, mm.
LEAP_MM = 5.0
# Knees that bend faster than so many times the sources' fastest, and than so many degrees per second, are seen to twitch.
TWITCH, CALM_DEG_S = 1.3, 150.0
# Legs nearer than this, and than in the sources, pass through each other to the eye, mm between their middle lines.
NEAR_MM = 40.0
# What no result may do; the others are reported by the binary or are the sources' own.
FORBIDDEN = ("contact moves 1 mm or more", "hinge flips", "legs pass through each other")
# Half the default blend, seconds: the window on either side of a seam.
HALF_S = 0.3


class Motion:
    """World positions and rotations of a file, and its contact labels."""

    def __init__(self, path):
        clip = np.load(path)
        self.places, self.turns = forward_kinematics(clip)
        self.fps, self.roles = float(clip["fps"]), list(clip["roles"])
        self.start = int(bool(clip["tpose_frame"]))
        self.contacts = clip["contacts"] if "contacts" in clip else None
        self.found = {}

    def known(self, what):
        """What a method gives, computed once."""
        if what not in self.found:
            self.found[what] = getattr(self, what)()
        return self.found[what]

    def path(self, role):
        return self.places[:, self.roles.index(role)]

    def accelerations(self):
        """Largest of any joint in every frame but the first and last, m/s²."""
        p = self.places
        return np.linalg.norm(p[2:] - 2 * p[1:-1] + p[:-2], axis=-1).max(1) * self.fps**2

    def usual(self):
        return np.quantile(self.accelerations()[self.start :], 0.99)

    def slip_mm(self, labels, start=0):
        """Farthest of a labelled point from the mean of its label; the labels' first frame is frame `start` here."""
        worst = 0.0
        for point, role in enumerate(POINTS):
            edges = np.diff(np.concatenate([[0], labels[:, point].astype(int), [0]]))
            for a, b in zip(np.flatnonzero(edges == 1), np.flatnonzero(edges == -1)):
                places = self.path(role)[start + a : start + b]
                worst = max(worst, np.linalg.norm(places - places.mean(0), axis=1).max())
        return 1e3 * worst

    def middles(self):
        """Of both knees, then both elbows: the way of the middle joint from the line between upper and lower end, mm."""
        out = []
        for chain in (["UpperLeg", "LowerLeg", "Foot"], ["UpperArm", "LowerArm", "Hand"]):
            for side in ("left", "right"):
                upper, middle, end = (self.path(side + part)[self.start :] for part in chain)
                line = (end - upper) / np.linalg.norm(end - upper, axis=1, keepdims=True)
                way = middle - upper
                out.append(1e3 * (way - np.sum(way * line, axis=1, keepdims=True) * line))
        return np.array(out)

    def leaps_mm(self):
        """Largest move of each middle joint against its line in one frame."""
        return np.linalg.norm(np.diff(self.middles(), axis=1), axis=2).max(1)

    def flips(self):
        """How often middle joints leap from one side of their line to the other."""
        a, b = self.middles()[:, :-1], self.middles()[:, 1:]
        far = np.linalg.norm(b - a, axis=2) > FLIP_MM
        return int((far & (np.sum(a * b, axis=2) < 0)).sum())

    def knee_speed(self):
        """Fastest bending of a knee, degrees per second."""
        return np.abs(np.diff(np.abs(self.hinges()[:2, self.start :]), axis=1)).max() * self.fps

    def legs_mm(self):
        """Nearest that shins and feet of the two legs come to each other."""
        fraction = np.linspace(0, 1, 13)[None, :, None]
        lines = {}
        for side in ("left", "right"):
            knee, ankle, toe = (self.path(side + part)[self.start :] for part in ("LowerLeg", "Foot", "Toes"))
            lines[side] = [a[:, None] + fraction * (b - a)[:, None] for a, b in ((knee, ankle), (ankle, toe))]
        apart = lambda a, b: np.linalg.norm(a[:, :, None] - b[:, None], axis=-1).min()
        return 1e3 * min(apart(a, b) for a in lines["left"] for b in lines["right"])

    def hinges(self):
        """Signed bends of both knees, then both elbows, degrees: positive the way the hinge bends on the whole."""
        bends = []
        for chain in (["UpperLeg", "LowerLeg", "Foot"], ["UpperArm", "LowerArm", "Hand"]):
            for side in ("left", "right"):
                upper, middle, end = (self.path(side + part) for part in chain)
                a, b = middle - upper, end - middle
                axis = np.cross(a, b)
                back = self.turns[:, self.roles.index(side + chain[0])] * [1, -1, -1, -1]
                own = rotate(back, axis)
                wrong = np.sum(own * own[self.start :].sum(0), axis=1) < 0
                angle = np.degrees(np.arctan2(np.linalg.norm(axis, axis=1), np.sum(a * b, axis=1)))
                bends.append(np.where(wrong, -angle, angle))
        return np.array(bends)


def run(*words):
    """The report of the binary, or what it complains about."""
    done = subprocess.run([UGOKI, *map(str, words), "--json"], capture_output=True, text=True)
    report = json.loads(done.stdout or "{}")
    return (report, None) if done.returncode == 0 else (None, report["error"]["message"])


def judge(result, sources, seams):
    accelerations, usual = result.accelerations(), max(source.usual() for source in sources)
    half = round(HALF_S * result.fps)
    # Element i of the accelerations belongs to frame i + 1.
    near = lambda s, reach: accelerations[max(0, s - reach - 1) : s + reach - 1].max() / usual
    own = np.min([source.hinges()[:, source.start :].min(1) for source in sources], axis=0)
    return {
        "contact": 0.0 if result.contacts is None else result.slip_mm(result.contacts),
        "seam": max(near(s, 2) for s in seams),
        "window": max(near(s, half) for s in seams),
        "hinge": max(0.0, (np.minimum(own, 0) - result.hinges().min(1)).max()),
        "flips": max(0, result.flips() - sum(source.known("flips") for source in sources)),
        "leap": max(0.0, (result.leaps_mm() - np.max([source.known("leaps_mm") for source in sources], axis=0)).max()),
        "speed": result.knee_speed(), "own_speed": max(source.known("knee_speed") for source in sources),
        "legs": result.legs_mm(), "own_legs": min(source.known("legs_mm") for source in sources),
    }


def steps(step):
    return f"{step['position_mm']:.1f} / {step['velocity_mm_s']:.0f} / {step['rotation_deg']:.1f}"


def within(step, ordinary):
    return all(step[key] <= ordinary[key] for key in step)


def cells(row):
    return f"{row['contact']:.2f} | {row['source']:.0f} | {row['seam']:.2f} | {row['window']:.2f} | {row['hinge']:.1f} | {row['leap']:.1f} | {row['speed']:.0f} ({row['own_speed']:.0f}) | {row['legs']:.0f} ({row['own_legs']:.0f}) | {row['knee']:.0f}"


def loops(captures, source, folder, options):
    print("| capture | cycle | s | gap cm | seam mm, mm/s, ° | ordinary | contact mm | in the source | accel. at seam | in window | hinge ° | leap mm | knee °/s (source) | legs mm (source) | knee ° |")
    print("|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|")
    rows = {}
    for path in captures:
        report, problem = run("loop", path, folder / "out.npz", "--cycles", 3, *options)
        if report is None:
            print(f"| {path.stem} | {problem} |")
            continue
        result, own, period = Motion(folder / "out.npz"), source(path), report["frames"]
        row = judge(result, [own], [period, 2 * period])
        start = round(report["start_s"] * own.fps)
        before, after = own.hinges()[:2, start : start + period], result.hinges()[:2, period : 2 * period]
        half = round(HALF_S * own.fps)
        row["knee"] = np.abs(before - after)[:, half:-half].max(initial=0.0)
        row["source"] = own.slip_mm(result.contacts[period : 2 * period], start)
        row["within"] = within(report["seam"], report["ordinary"])
        row["reported"] = report["strain"] > 1
        kind = "stride" if report["is_stride"] else "longest"
        print(f"| {path.stem} | {kind} | {report['seconds']:.3f} | {100 * report['gap_m']:.1f} | {steps(report['seam'])} | "
              f"{steps(report['ordinary'])} | {cells(row)} |", flush=True)
        rows[path.stem] = row
    return summary(rows)


def splices(captures, source, folder, options):
    rows, trimmed = {}, []
    pairs = [(first, second) for first in captures for second in captures]

    def made(pair):
        file = folder / f"{pair[0].stem}-{pair[1].stem}.npz"
        return run("splice", *pair, "-o", file, *options), file

    with ThreadPoolExecutor(int(os.environ.get("SEAMS_JOBS", "1"))) as pool:
        for (first, second), ((report, problem), file) in zip(pairs, pool.map(made, pairs)):
            name = f"{first.stem} → {second.stem}"
            if report is None:
                print(f"- {name}: {problem}")
                continue
            result, own, other = Motion(file), source(first), source(second)
            file.unlink()
            seam = report["seams"][0]
            row = judge(result, [own, other], [seam["frame"]])
            kept = seam["frame"] - round(HALF_S * own.fps)
            change = own.hinges()[:2, own.start : own.start + max(kept, 0)] - result.hinges()[:2, : max(kept, 0)]
            row["knee"] = np.abs(change).max(initial=0.0)
            row["source"] = own.slip_mm(result.contacts[: seam["frame"]], own.start)
            row["within"] = within(seam["after"], report["ordinary"])
            trimmed.append(report["clips"][0]["trimmed_s"][1] + report["clips"][1]["trimmed_s"][0])
            row["reported"] = report["strain"] > 1
            rows[name] = row
    print(f"trimmed at a seam, s: median {np.median(trimmed):.2f}, most {max(trimmed):.2f}")
    return summary(rows)


def summary(rows):
    print(f"\n{len(rows)} in all\n\n| | median | 90 % | worst |\n|---|---|---|---|")
    for key, title in [("contact", "labelled heel or toe from its place, mm"), ("source", "the same labels in the source, mm"),
                       ("seam", "acceleration at the seam / 99 % of the sources'"),
                       ("window", "the same in the whole window"), ("hinge", "hinge past its source, °"),
                       ("leap", "knee or elbow about its line in one frame, more than in the source, mm"),
                       ("speed", "fastest knee, °/s"), ("own_speed", "the same in the sources"),
                       ("knee", "knee changed outside windows, °")]:
        order = sorted(rows, key=lambda name: -rows[name][key])
        values = [rows[name][key] for name in order]
        worst = ", ".join(f"{name} ({rows[name][key]:.2f})" for name in order[:4])
        print(f"| {title} | {np.median(values):.2f} | {np.quantile(values, 0.9):.2f} | {worst} |")
    bounds = [("seam larger than ordinary", lambda r: not r["within"]), ("contact moves 1 mm or more", lambda r: r["contact"] >= 1),
              ("hinge flips", lambda r: r["flips"] > 0), ("knee or elbow leaps", lambda r: r["leap"] > LEAP_MM),
              ("knee twitches", lambda r: r["speed"] > max(TWITCH * r["own_speed"], CALM_DEG_S)),
              ("legs pass through each other", lambda r: r["legs"] < min(NEAR_MM, r["own_legs"]) - 1),
              ("reported as a warning about legs", lambda r: r["reported"]), ("acceleration at the seam over 1.5", lambda r: r["seam"] > 1.5),
              ("acceleration in the window over 1.5", lambda r: r["window"] > 1.5)]
    print()
    broken = 0
    for title, fails in bounds:
        names = [name for name in rows if fails(rows[name])]
        print(f"- {title}: {len(names)} {'(' + ', '.join(names[:24]) + ')' if names else ''}")
        broken += len(names) if title in FORBIDDEN else 0
    return broken


def main():
    words = sys.argv[1:]
    options = words[words.index("--") + 1 :] if "--" in words else []
    words = words[: words.index("--")] if "--" in words else words
    if "UGOKI_CAPTURES" not in os.environ:
        print("skipped: UGOKI_CAPTURES is not set")
        return
    cmu = Path(os.environ["UGOKI_CAPTURES"]) / "cmu"
    captures = sorted((cmu / "locomotion").glob("*.bvh"))
    if words[0] == "loop":
        for folder in ("gesture", "physics", "sport"):
            captures += sorted((cmu / folder).glob("*.bvh"))
    if words[1:]:
        captures = [path for path in captures if path.stem in words[1:]]
    known = {}
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)

        def source(path):
            if path not in known:
                subprocess.run([UGOKI, "convert", path, folder / "source.npz"], capture_output=True, check=True)
                known[path] = Motion(folder / "source.npz")
            return known[path]

        if (loops if words[0] == "loop" else splices)(captures, source, folder, options):
            sys.exit(1)


if __name__ == "__main__":
    main()
