#!/usr/bin/env python3
"""Noise removed by `ugoki filter --auto`, compared with SciPy's filtfilt and savgol_filter and with One-Euro on the same clips.

    compare_noise.py UGOKI ARCHIVE [--half report] [--clips 40] [--noise 1.5]

Every joint of every frame is turned by a random rotation vector with a standard deviation of 1.5 degrees about each axis. Each
method gets the same noisy rotations; the error is the angle to the clean ones, root mean square over joints that move, frames and
clips. The other methods work on quaternions with aligned signs, normalised afterwards. Their settings are swept: "fixed" is the
one setting with the least error over all clips, "per clip" the best setting of each clip, which needs the clean clip to be known.
Needs numpy and scipy: python3 -m venv target/venv && target/venv/bin/pip install numpy scipy
"""
import argparse
import subprocess
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

import numpy as np
from scipy.signal import butter, filtfilt, savgol_filter
from scipy.spatial.transform import Rotation

sys.path.insert(0, str(Path(__file__).resolve().parent))
from quality import bvh
from quality.clips import archive_clips, sample

FEWEST_FRAMES = 120
MOVES_DEG = 0.5  # a joint that turns less over the clip is left out


def num_frames(file):
    with open(file) as lines:
        return next(int(line.split()[1]) for line in lines if line.startswith("Frames:"))


def quaternions(matrices):
    """(T, J, 4) with signs aligned along time."""
    shape = matrices.shape[:2]
    quats = Rotation.from_matrix(matrices.reshape(-1, 3, 3)).as_quat().reshape(shape + (4,))
    flips = np.cumsum((quats[1:] * quats[:-1]).sum(-1) < 0, axis=0) % 2
    quats[1:][flips == 1] *= -1
    return quats


def normalised(quats):
    return quats / np.linalg.norm(quats, axis=-1, keepdims=True)


def errors_deg(quats, clean):
    """Angles between rotations of equal shape (T, J, 4)."""
    dot = np.abs((quats * clean).sum(-1)).clip(0, 1)
    return np.degrees(2 * np.arccos(dot))


def butterworth(order, cutoff):
    def run(quats, fps):
        b, a = butter(order, cutoff, fs=fps)
        return normalised(filtfilt(b, a, quats, axis=0))

    return run


def savgol(window, degree):
    return lambda quats, fps: normalised(savgol_filter(quats, window, degree, axis=0))


def one_euro(cutoff, beta, both):
    """The published filter on quaternion components, its speed that of the rotation (radians per second)."""

    def forward(quats, fps):
        alpha = lambda f: 1 / (1 + fps / (2 * np.pi * f))
        out, speed = quats.copy(), np.zeros_like(quats[0])
        for i in range(1, len(quats)):
            speed = speed + alpha(1.0) * (2 * fps * (quats[i] - out[i - 1]) - speed)
            weight = alpha(cutoff + beta * np.linalg.norm(speed, axis=-1, keepdims=True))
            out[i] = normalised(out[i - 1] + weight * (quats[i] - out[i - 1]))
        return out

    def run(quats, fps):
        out = forward(quats, fps)
        return forward(out[::-1], fps)[::-1] if both else out

    return run


def peers():
    table = {}
    for order in (1, 2, 3, 4):
        for cutoff in (1.5, 2, 2.5, 3, 3.5, 4, 4.5, 5, 6, 7, 8, 10, 12):
            table["filtfilt", f"order {order}, {cutoff} Hz"] = butterworth(order, cutoff)
    for window in (5, 7, 9, 11, 13, 15, 19, 23, 27):
        for degree in (2, 4):
            if degree < window - 1:
                table["savgol_filter", f"{window},{degree}"] = savgol(window, degree)
    for both, name in ((False, "One-Euro"), (True, "One-Euro both ways")):
        for cutoff in (1, 2, 3, 4, 6):
            for beta in (0, 0.3, 1, 2, 4):
                table[name, f"{cutoff},{beta}"] = one_euro(cutoff, beta, both)
    return table


def ugoki(binary, motion, folder, words):
    noisy, out = folder / "noisy.bvh", folder / "out.bvh"
    bvh.write(noisy, motion)
    out.unlink(missing_ok=True)
    subprocess.run([binary, "filter", noisy, out, *words], check=True, capture_output=True)
    return bvh.read(out)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("ugoki")
    parser.add_argument("archive")
    parser.add_argument("--half", default="report")
    parser.add_argument("--clips", type=int, default=40)
    parser.add_argument("--noise", type=float, default=1.5)
    args = parser.parse_args()
    files = [f for f in archive_clips(args.archive, args.half) if num_frames(f) > FEWEST_FRAMES]
    files = sample(files, args.clips)
    squares, counts, per_clip = {}, 0, {}
    ours = {"--auto": ["--auto", "--feet", "free"], "gauss:1.5": ["--kernel", "gauss:1.5", "--feet", "free"]}
    wins = 0
    with tempfile.TemporaryDirectory() as name:
        for index, file in enumerate(files):
            motion = bvh.read(file).part(1)
            random = np.random.default_rng(index)
            noise = bvh.rotation_vector_matrix(np.radians(args.noise) * random.standard_normal(motion.rotations.shape[:2] + (3,)))
            clean = quaternions(motion.rotations)
            moves = errors_deg(clean, clean[:1]).max(0) > MOVES_DEG
            noisy = replace(motion, rotations=motion.rotations @ noise).posed()
            clean, quats = clean[:, moves], quaternions(noisy.rotations)[:, moves]
            counts += quats[..., 0].size
            here = {("noisy", ""): (errors_deg(quats, clean) ** 2).sum()}
            for key, run in peers().items():
                here[key] = (errors_deg(run(quats, motion.fps), clean) ** 2).sum()
            for label, words in ours.items():
                result = ugoki(args.ugoki, noisy, Path(name), words)
                order = [result.names.index(joint) for joint in motion.names]
                found = quaternions(result.rotations[-len(motion) :][:, order])[:, moves]
                here["ugoki", label] = (errors_deg(found, clean) ** 2).sum()
            for key, value in here.items():
                squares[key] = squares.get(key, 0.0) + value
            for method in {method for method, _ in here}:
                per_clip[method] = per_clip.get(method, 0.0) + min(v for (m, _), v in here.items() if m == method)
            best = min(v for (m, _), v in here.items() if m not in ("ugoki", "noisy"))
            wins += here["ugoki", "--auto"] <= best
    rms = lambda square: np.sqrt(square / counts)
    print(f"{len(files)} clips of the {args.half} half, {counts} joint-frames, noise {args.noise} deg about each axis")
    print("| method | best fixed setting | RMS error deg | best setting per clip, RMS error deg |\n|---|---|---|---|")
    for method in ("noisy", "filtfilt", "savgol_filter", "One-Euro", "One-Euro both ways", "ugoki"):
        setting = min((s for m, s in squares if m == method), key=lambda s: squares[method, s])
        if method == "ugoki":
            for label in ours:
                print(f"| `ugoki filter {label}` | | {rms(squares[method, label]):.3f} | |")
        else:
            print(f"| {method} | {setting} | {rms(squares[method, setting]):.3f} | {rms(per_clip[method]):.3f} |")
    print(f"--auto is at least as good as every setting of every other method in {wins} of {len(files)} clips")


main()
