#!/usr/bin/env python3
"""Measures how well performing follows and recognises, with this version and optionally with another binary.

    python3 scripts/perform_eval.py UGOKI TRIALS [--old BINARY] [--half report|tune] [--only follow,mimes,unknown]

UGOKI is the binary (- to measure the old one alone), TRIALS the example `perform_estimate` of ugoki-perform, which makes the performances whose truth is
known; motions are those of `scripts/perform_lists.tsv` in UGOKI_ARCHIVE. Both versions read the same files and are
scored here, from the frames that their reports name: a frame is right when the actor's time shown is within 0.1 s of the
performer's, a jump is a change of the time shown that differs by more than 0.2 s from the performer's.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

RIGHT_S, JUMP_S = 0.1, 0.2
HERE = Path(__file__).resolve().parent
CHANGES = ["unchanged", "slow", "fast", "pause", "amplitude-60", "amplitude-40", "first-60", "first-40", "noise", "all"]


def rows(task, half):
    for line in (HERE / "perform_lists.tsv").read_text().splitlines():
        cells = line.split("\t")
        if not line.startswith("#") and cells[0] == task and (half == "all" or cells[1] == half):
            yield cells[2:]


def take(archive, name):
    return str(Path(archive, f"{int(name.split('_')[0]):03}", f"{name}.bvh"))


def ask(binary, *words):
    done = subprocess.run([binary, *words], capture_output=True, text=True)
    return done.stdout if done.returncode == 0 else None


def learn(binary, model, clips, is_old):
    """A model of actors; imitations may be among them: [(actor, imitation or None)]."""
    if os.path.exists(model):
        os.remove(model)
    alone = all(imitation is None for _, imitation in clips)
    if alone and not is_old:
        return ask(binary, "perform", "learn", *[actor for actor, _ in clips], "--alone", "-o", model) is not None
    # The old version needs an imitation: the actor's own.
    words = [name for actor, imitation in clips for name in (actor, imitation or actor)]
    return ask(binary, "perform", "learn", *words, "-o", model) is not None


def frames(binary, model, performance, out):
    text = ask(binary, "perform", "run", model, "--input", performance, "--output", out, "--json")
    return json.loads(text)["frames"] if text else None


class Total:
    def __init__(self):
        self.moving = self.right = self.jumps = 0
        self.seconds, self.each = 0.0, []

    def add(self, name, truth, found, fps, motion):
        moving = right = jumps = 0
        before = None
        for (time, moves), frame in zip(truth, found):
            shown = frame["actor_frame"] / fps if frame["known"] and frame["motion"] == motion else None
            if moves:
                moving += 1
                right += shown is not None and abs(shown - time) <= RIGHT_S
            if shown is not None:
                jumps += before is not None and abs(shown - before[1] - (time - before[0])) > JUMP_S
                before = (time, shown)
        self.moving, self.right, self.jumps = self.moving + moving, self.right + right, self.jumps + jumps
        self.seconds += len(truth) / fps
        if moving:
            self.each.append((right / moving, name))

    def cells(self):
        worst = min(self.each) if self.each else (0, "")
        return f"{100 * self.right / max(self.moving, 1):.1f} % | {10 * self.jumps / max(self.seconds, 1e-9):.2f} | {100 * worst[0]:.0f} % {worst[1]}"


def follow(options, archive, folder):
    lists = str(HERE / "perform_lists.tsv")
    subprocess.run([options.trials, archive, lists, options.half, "task=trials", f"out={folder}", f"every={options.every}"], check=True)
    print("\n| change | version | motions | within 0.1 s | jumps per 10 s | worst |\n|---|---|---|---|---|---|")
    names = [row[0] for row in rows("synthetic", options.half)][:: options.every]
    totals = {(version, change): Total() for version, _ in options.versions for change in CHANGES}
    for version, binary in options.versions:
        for name in names:
            model = f"{folder}/m.ugoki"
            if not learn(binary, model, [(take(archive, name), None)], version != "this"):
                print(f"{version}: {name} cannot be learned", file=sys.stderr)
                continue
            for change in CHANGES:
                # The actor's first frame: an added T-pose before it is not of the motion.
                first, *text = Path(folder, f"{name}-{change}.tsv").read_text().split()
                truth = [(float(t), moves == "1") for t, moves in zip(text[::2], text[1::2])]
                found = frames(binary, model, f"{folder}/{name}-{change}.bvh", f"{folder}/out.bvh")
                if found is None:
                    print(f"{version}: {name}-{change} cannot be run", file=sys.stderr)
                    continue
                if len(found) != len(truth):
                    print(f"{version}: {name}-{change}: {len(found)} frames of {len(truth)}", file=sys.stderr)
                shifted = [{**frame, "actor_frame": frame["actor_frame"] - int(first)} for frame in found]
                totals[version, change].add(name, truth, shifted, 30.0, name)
    for change in CHANGES:
        for version, _ in options.versions:
            total = totals[version, change]
            print(f"| {change} | {version} | {len(total.each)} | {total.cells()} |")


def mimes(options, archive, folder):
    pairs = [row for row in rows("mime", "all")]
    own = {row[0] for row in rows("mime", options.half)}
    print("\n| mimes | version | frames right | of the half | motions most of whose frames are right |\n|---|---|---|---|---|")
    for version, binary in options.versions:
        model = f"{folder}/mimes.ugoki"
        learned = [(take(archive, row[0]), None) for row in pairs]
        if not learn(binary, model, learned, version != "this"):
            print(f"{version}: the mimes cannot be learned", file=sys.stderr)
            continue
        right = count = half_right = half_count = most = 0
        for row in pairs:
            text = ask(binary, "perform", "recognize", model, "--input", take(archive, row[2]), "--unknown", "1", "--json")
            found = json.loads(text)["frames"]
            hits = sum(frame["motion"] == row[0] for frame in found)
            right, count = right + hits, count + len(found)
            most += 2 * hits > len(found)
            if row[0] in own:
                half_right, half_count = half_right + hits, half_count + len(found)
        print(f"| {len(pairs)} | {version} | {100 * right / count:.1f} % | {100 * half_right / half_count:.1f} % | {most} |")


def unknown(options, archive, folder):
    repeats, others = list(rows("repeat", options.half)), list(rows("unknown", options.half))
    print("\n| version | known takes | falsely rejected | right motion | unknown takes | shown as known |\n|---|---|---|---|---|---|")
    for version, binary in options.versions:
        model = f"{folder}/repeats.ugoki"
        clips = [(take(archive, row[0]), take(archive, row[1])) for row in repeats]
        if not learn(binary, model, clips, version != "this"):
            print(f"{version}: the repeats cannot be learned", file=sys.stderr)
            continue
        rejected = known = right = accepted = strange = 0
        for row in repeats:
            found = json.loads(ask(binary, "perform", "recognize", model, "--input", take(archive, row[2]), "--json"))["frames"]
            rejected += sum(not frame["known"] for frame in found)
            right += sum(frame["motion"] == row[0] for frame in found)
            known += len(found)
        for row in others:
            found = json.loads(ask(binary, "perform", "recognize", model, "--input", take(archive, row[2]), "--json"))["frames"]
            accepted += sum(frame["known"] for frame in found)
            strange += len(found)
        print(
            f"| {version} | {len(repeats)} | {100 * rejected / known:.1f} % | {100 * right / known:.1f} % | {len(others)} |"
            f" {100 * accepted / strange:.1f} % |"
        )


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("ugoki")
    parser.add_argument("trials")
    parser.add_argument("--old", help="another binary, measured on the same files")
    parser.add_argument("--half", choices=["tune", "report"], default="report")
    parser.add_argument("--only", default="follow,mimes,unknown")
    parser.add_argument("--every", type=int, default=1, help="every n-th synthetic motion only")
    options = parser.parse_args()
    archive = os.environ.get("UGOKI_ARCHIVE")
    if not archive:
        sys.exit("UGOKI_ARCHIVE is not set")
    options.versions = ([("this", options.ugoki)] if options.ugoki != "-" else []) + ([("old", options.old)] if options.old else [])
    with tempfile.TemporaryDirectory() as folder:
        for task in options.only.split(","):
            {"follow": follow, "mimes": mimes, "unknown": unknown}[task](options, archive, folder)


if __name__ == "__main__":
    main()
