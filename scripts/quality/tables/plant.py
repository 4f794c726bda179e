"""`plant` on captures.

Stances are found on the SOURCE by speed and height (`Body.stances`), so a foot that the tool chose not to hold counts
too. Every ankle and toe counts for itself. Slide: largest distance between two places within a stance.
Joints are compared with the source after the constant shift (the floor that was levelled) is taken out; `shift_mm` is its size.
The clip `generated` is a network's output; its stances are the generator's own contact labels.
"""
import os

import numpy as np

from .. import bvh, clips
from ..body import Body, Stance, intervals
from ..tool import Case, Measure

TITLE = "Planting"
ARCHIVE_COUNT = 300
SOMA = """Hips - Spine1 0 Spine2 1 Chest 2 Neck1 3 Neck2 4 Head 5 Jaw 6 LeftEye 6 RightEye 6 LeftShoulder 3 LeftArm 10 LeftForeArm 11
LeftHand 12 LeftHandThumbEnd 13 LeftHandMiddleEnd 13 RightShoulder 3 RightArm 16 RightForeArm 17 RightHand 18 RightHandThumbEnd 19
RightHandMiddleEnd 19 LeftLeg 0 LeftShin 22 LeftFoot 23 LeftToeBase 24 RightLeg 0 RightShin 26 RightFoot 27 RightToeBase 28""".split()
MEASURES = {
    "source_slide_mm": Measure("mm", better=None),
    "slide_mm": Measure("mm", 1.0),
    "slide_worst_mm": Measure("mm", 5.0),
    "source_skate_mm_s": Measure("mm/s", better=None),
    "skate_mm_s": Measure("mm/s", 5.0),
    "joints_mm": Measure("mm", 2.0),
    "joints_max_mm": Measure("mm", 10.0),
    "knee_pop": Measure("ratio to source", 0.2),
    "shift_mm": Measure("mm", better=None),
    "source_penetration_mm": Measure("mm", better=None),
    "penetration_mm": Measure("mm", 2.0),
    "hips_p99_ratio": Measure("ratio to source", 0.1),
}


def cases(context):
    files = clips.capture_clips(context.captures, "locomotion", "gesture", "sport") + context.sample_archive(ARCHIVE_COUNT, seed=1)
    out = [Case(clips.clip_name(path), (path,), (path,)) for path in files]
    generated = os.path.join(context.captures, "npz", "kimodo_01_single_text_prompt.npz")
    if os.path.exists(generated):
        out.insert(0, Case("generated", (generated,), (generated,)))
    return out


def generated_motion(path):
    """Kimodo's positions and rotations as a motion, and its contact labels (left heel, left toe, right heel, right toe)."""
    data = np.load(path)
    names, parents = SOMA[::2], [-1 if word == "-" else int(word) for word in SOMA[1::2]]
    frames, positions = data["global_rot_mats"].astype(float), data["posed_joints"].astype(float)
    local, offsets = frames.copy(), np.zeros((len(names), 3))
    for joint, parent in enumerate(parents[1:], 1):
        local[:, joint] = np.swapaxes(frames[:, parent], -1, -2) @ frames[:, joint]
        offsets[joint] = np.median(np.einsum("tji,tj->ti", frames[:, parent], positions[:, joint] - positions[:, parent]), axis=0)
    motion = bvh.Motion(names, parents, 100 * offsets, {}, local, 100 * positions[:, 0], 30.0)
    return motion.posed(), data["foot_contacts"]


def labelled_stances(body, labels):
    points = [(side, part) for side in ("left", "right") for part in ("foot", "toe")]
    return [Stance(side, part, body.roles[f"{side} {part}"], a, b) for (side, part), own in zip(points, labels.T) for a, b in intervals(own) if b - a >= 2]


def measure(case, tool):
    (path,) = case.args
    if path.endswith(".npz"):
        motion, labels = generated_motion(path)
        path = tool.make("plant/generated.bvh", lambda into: bvh.write(into, motion))
        body = Body(motion.scaled(0.01))
        stances = labelled_stances(body, labels)
    else:
        body = clips.source(path)
        stances = body.stances
    tool.run("plant", path, tool.out("out.bvh"))
    return judge(body, stances, clips.result(tool.out("out.bvh"), body))


def judge(body, stances, out):
    """Measures of a motion `out` made from `body`, frame by frame."""
    if abs(len(out) - len(body)) > 1:
        raise ValueError(f"{len(out)} frames, {len(body)} expected")
    before, after = body.slides_mm(stances), out.slides_mm(stances)
    shift = out.shift_m(body)
    mean, largest = out.distance_mm(body, shift)
    return {
        "source_slide_mm": float(np.median(before)) if len(before) else None,
        "slide_mm": float(np.median(after)) if len(after) else None,
        "slide_worst_mm": float(after.max()) if len(after) else None,
        "source_skate_mm_s": body.skate_mm_s(stances),
        "skate_mm_s": out.skate_mm_s(stances),
        "joints_mm": mean,
        "joints_max_mm": largest,
        "knee_pop": out.knee_pop(body),
        "shift_mm": 1e3 * float(np.linalg.norm(shift)),
        "source_penetration_mm": body.penetration_mm(stances),
        "penetration_mm": out.penetration_mm(stances),
        "hips_p99_ratio": out.hips_p99() / max(body.hips_p99(), 1.0),
    }
