"""Recognition of added T-pose frames by `info --json` (`tpose_frame`).

generated: a T-pose made by this package in front of a clip without one, at the root position of its first frame, facing
+Z: arms straight to the sides and raised or lowered by up to 20°, or an A-pose (45° down), trunk pitched by 0–30°, 30 and 120 fps,
also on the rigs with other axes. must: every CMU file of captures and archive begins with one. false: clips of 1 s cut from
the middle of archive clips, which have none.
"""
import random

import numpy as np

from .. import bvh, clips, rig
from ..body import Body
from ..tool import Case, Measure

TITLE = "T-pose frames"
FALSE_COUNT = 10_000
RIGS = ("", "along X", "rolled", "rest Z up")
BATCH = 50  # clips in one case of `false`
PITCHES_DEG = (0, 5, 10, 15, 20, 25, 30)
ARMS_DEG = (-45, -20, 0, 20)  # −45: A-pose
MEASURES = {
    "missed": Measure("part", 0.001),
    "false": Measure("part", 0.001),
    "files": Measure("files", better=None),
}
BROKEN = ("16_16", "79_77", "90_10", "104_01")  # kept out: defects


def cases(context):
    rng = random.Random(22)
    sources = [path for path in context.captured if clips.clip_name(path) in ("35_05", "29_08", "16_36", "141_14")]
    sources += context.sample_archive(4, seed=5)
    out = []
    for path in sources:
        for rate in (30, 120) if not clips.clip_name(path).startswith("a/") else (30,):
            for rig_name in RIGS:
                out.append(Case(f"generated {clips.clip_name(path)} {rate} {rig_name}".strip(), ("generated", path, rate, rig_name), (path,)))
    known = [path for path in context.captured_all + context.archived if clips.clip_name(path) not in BROKEN]
    subjects = {}
    for path in known:
        subjects.setdefault(clips.clip_name(path).rsplit("_", 1)[0], []).append(path)
    out += [Case(f"must {subject}", ("must", *files), tuple(files)) for subject, files in subjects.items()]
    if context.archived:
        wanted = min(FALSE_COUNT, 20 * context.limit) if context.limit else FALSE_COUNT
        picks = [(rng.choice(context.archived), rng.random()) for _ in range(wanted)]
        for i in range(0, len(picks), BATCH):
            part = tuple(picks[i : i + BATCH])
            out.append(Case(f"false {i // BATCH}", ("false", *part), tuple(sorted({path for path, _ in part}))))
    return out


def recognised(tool, path):
    answer = tool.run("info", path)[0].get("tpose_frame")
    return answer is not None and answer is not False


def turned_about(motion, joint, matrix):
    """One frame with a joint and all below it turned by a world rotation."""
    frames = motion.frames[0]
    above = frames[motion.parents[joint]] if motion.parents[joint] >= 0 else np.eye(3)
    rotations = motion.rotations.copy()
    rotations[0, joint] = above.T @ matrix @ frames[joint]
    return bvh.Motion(motion.names, motion.parents, motion.offsets, motion.tips, rotations, motion.root, motion.fps).posed()


def straight_tpose(motion):
    """A T-pose on a CMU skeleton: legs down, trunk up, arms to the sides, by turning each limb's bones."""
    pose = motion.part(0, 1)
    pose = bvh.Motion(pose.names, pose.parents, pose.offsets, pose.tips, np.tile(np.eye(3), (1, len(pose.names), 1, 1)), pose.root, pose.fps).posed()
    roles = Body(pose).roles
    for side, sign in (("left", 1.0), ("right", -1.0)):
        for upper, lower, way in (("thigh", "shin", (0, -1, 0)), ("shin", "foot", (0, -1, 0)), ("upperarm", "forearm", (sign, 0, 0)), ("forearm", "hand", (sign, 0, 0))):
            a, b = roles[f"{side} {upper}"], roles[f"{side} {lower}"]
            bone = pose.positions[0, b] - pose.positions[0, a]
            pose = turned_about(pose, a, between(bone, np.array(way, float)))
    return pose, roles


def between(a, b):
    """Smallest rotation from one direction to another."""
    a, b = a / np.linalg.norm(a), b / np.linalg.norm(b)
    axis = np.cross(a, b)
    size = np.linalg.norm(axis)
    return np.eye(3) if size < 1e-9 else bvh.rotation_vector_matrix(axis / size * np.arctan2(size, a @ b))


def generated(path, rate, rig_name, pitch, arms):
    """The clip with a T-pose in front, in file units."""
    motion = bvh.read(path).part(1)
    cut = slice(None, 240, round(motion.fps / rate))
    motion = bvh.Motion(motion.names, motion.parents, motion.offsets, motion.tips, motion.rotations[cut], motion.root[cut], float(rate)).posed()
    pose, roles = straight_tpose(motion)
    spine = motion.index("LowerBack")
    pose = turned_about(pose, spine, bvh.axis_rotation(0, float(pitch)))
    for side, sign in (("left", 1.0), ("right", -1.0)):
        pose = turned_about(pose, roles[f"{side} upperarm"], bvh.axis_rotation(2, sign * arms))
    joined = bvh.Motion(motion.names, motion.parents, motion.offsets, motion.tips, np.concatenate([pose.rotations, motion.rotations]), np.concatenate([motion.root[:1], motion.root]), motion.fps)
    return rig.SAME_JOINTS[rig_name](joined) if rig_name else joined


def measure(case, tool):
    kind, *rest = case.args
    if kind == "generated":
        path, rate, rig_name = rest
        missed = {}
        for pitch in PITCHES_DEG:
            for arms in ARMS_DEG:
                file = tool.out(f"t{pitch}{arms}.bvh")
                bvh.write(file, generated(path, rate, rig_name, pitch, arms))
                missed[pitch, arms] = not recognised(tool, file)
        by_pitch = {f"missed_{pitch}": float(np.mean([missed[pitch, arms] for arms in ARMS_DEG])) for pitch in PITCHES_DEG}
        return {"missed": float(np.mean(list(missed.values()))), "files": float(len(missed)), **by_pitch}
    if kind == "must":
        missed = [not recognised(tool, path) for path in rest]
        return {"missed": float(np.mean(missed)), "files": float(len(missed))}
    found = []
    for i, (path, at) in enumerate(rest):
        motion = clips.source(path).motion
        start = int(at * max(0, len(motion) - 30))
        file = tool.make(f"tpose/{clips.clip_name(path).replace('/', '-')}-{start}.bvh", lambda into: bvh.write(into, motion.part(start, start + 30).scaled(1 / bvh.CMU_UNIT_M)))
        found.append(recognised(tool, file))
    return {"false": float(np.mean(found)), "files": float(len(found))}


def summary(rows):
    out = {}
    for kind, name in (("generated", "missed"), ("must", "missed"), ("false", "false")):
        own = [row["values"] for row in rows if row["case"].startswith(kind) and row["values"]]
        total = sum(v["files"] for v in own)
        if total:
            out[f"{kind}: wrong"] = f"{sum(v[name] * v['files'] for v in own):.0f} of {total:.0f}"
    for rig_name in RIGS:
        own = [row["values"] for row in rows if row["case"].startswith("generated") and row["case"].split(maxsplit=3)[3:] == ([rig_name] if rig_name else []) and row["values"]]
        if own:
            parts = [f"{pitch}°: {100 * np.mean([v[f'missed_{pitch}'] for v in own]):.0f} %" for pitch in PITCHES_DEG]
            out[f"generated{', ' + rig_name if rig_name else ''}: missed by pitch"] = ", ".join(parts)
    wrong = [row["case"].split()[1] for row in rows if row["case"].startswith("must") and row["values"].get("missed", 0) > 0]
    out["must: subjects with missed files"] = " ".join(wrong) or "none"
    return out
