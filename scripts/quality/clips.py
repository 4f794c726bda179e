"""Inputs: captures, the archive and its halves, sources read once, gaits."""
import os
import random
from functools import lru_cache
from pathlib import Path

import numpy as np

from . import bvh
from .body import Body, SIDES, unit

# Published twice under several numbers, or near-twins: one group never crosses the split.
TWINS = ((63, 64), (70, 73, 123), (74, 84), (77, 139), (78, 102), (83, 122), (85, 117), (90, 121), (91, 105), (93, 103), (106, 141))
# Two people captured in the same frames.
PARTNERS = ((18, 19), (22, 23))
LONG_S = 20.0  # longer clips are left out: time
PERIOD_S = (0.3, 2.2)  # periods that are looked for
PERIODIC = 0.6  # correlation of a motion with itself one period later
TPOSE_NEAR_M = 0.02  # a first frame this near to the source's T-pose is one


def subject_group(subject):
    """Smallest subject number among the twins and partners of a subject."""
    for group in TWINS + PARTNERS:
        if subject in group:
            return min(group)
    return subject


def half_of(subjects):
    """The split: groups of subjects sorted by number, even index = tune, odd index = report."""
    groups = sorted({subject_group(subject) for subject in subjects})
    return {subject: ("tune", "report")[groups.index(subject_group(subject)) % 2] for subject in subjects}


def archive_clips(archive, half):
    """Files of one half of the archive, sorted."""
    if not archive:
        return []
    subjects = sorted(int(folder.name) for folder in Path(archive).iterdir() if folder.is_dir() and folder.name.isdigit())
    halves = half_of(subjects)
    keep = [subject for subject in subjects if half == "all" or halves[subject] == half]
    return [str(path) for subject in keep for path in sorted(Path(archive, f"{subject:03}").glob("*.bvh"))]


def capture_clips(captures, *folders):
    return [str(path) for folder in folders for path in sorted(Path(captures, "cmu", folder).glob("*.bvh"))]


def clip_name(path):
    """Name of a clip in tables: archive clips are marked, because captures have clips of the same name."""
    folder = os.path.basename(os.path.dirname(path))
    return ("a/" if folder.isdigit() else "") + Path(path).stem


def subject_of(path):
    return int(Path(path).stem.split("_")[0])


def sample(items, count, seed=0):
    """Deterministic sample in the given order; all items when there are not more."""
    items = list(items)
    if len(items) <= count:
        return items
    keep = sorted(random.Random(seed).sample(range(len(items)), count))
    return [items[i] for i in keep]


@lru_cache(maxsize=24)
def source(path):
    """A CMU file in metres without its T-pose frame."""
    motion = bvh.read(path).scaled(bvh.CMU_UNIT_M)
    return Body(motion.part(1), relative(motion.positions[0]))


def relative(positions):
    return positions - positions[..., :1, :]


def result(path, like, up="y"):
    """A written file, scaled so that its legs are as long as those of `like`, without a T-pose frame in front."""
    motion = bvh.read(path)
    if up == "z":
        motion = motion.turned(bvh.axis_rotation(0, -90.0))
    motion = motion.scaled(like.leg_m / Body(motion).leg_m)
    if not np.isfinite(motion.positions).all():
        raise ValueError("not finite")
    if like.tpose is not None and len(like.tpose) == len(motion.names) and len(motion) > 1:
        if np.linalg.norm(relative(motion.positions[0]) - like.tpose, axis=-1).max() < TPOSE_NEAR_M:
            motion = motion.part(1)
    return Body(motion, like.tpose)


# --- gaits


def is_broken(body):
    """Whether frames are missing: some CMU files hold zeros in their first frames."""
    return bool((np.abs(body.path("hips")).max(1) < 1e-6).any())


def gait_features(body):
    """Both ankles seen from the hips, in the direction the body faces, and the height of the hips (T, 7)."""
    cos, sin = np.cos(body.heading), np.sin(body.heading)
    columns = []
    for side in SIDES:
        apart = body.path(f"{side} foot") - body.path("hips")
        columns += [cos * apart[:, 0] - sin * apart[:, 2], apart[:, 1], sin * apart[:, 0] + cos * apart[:, 2]]
    return np.stack(columns + [body.path("hips")[:, 1]], -1)


def period_s(body):
    """Period by autocorrelation of `gait_features` and its correlation; (None, 0) when nothing repeats.

    The shortest lag with a local maximum of at least 0.95 of the largest one.
    """
    features = gait_features(body)
    features = features - features.mean(0)
    lags = np.arange(body.steps(PERIOD_S[0]), min(body.steps(PERIOD_S[1]), len(body) - body.steps(0.4)))
    if len(lags) < 3:
        return None, 0.0
    scores = []
    for lag in lags:
        a, b = features[:-lag], features[lag:]
        scores.append((a * b).sum() / np.sqrt((a * a).sum() * (b * b).sum() + 1e-12))
    scores = np.array(scores)
    peaks = [i for i in range(1, len(scores) - 1) if scores[i - 1] <= scores[i] >= scores[i + 1]]
    best = max((scores[i] for i in peaks), default=0.0)
    if best <= 0.0:
        return None, 0.0
    i = next(i for i in peaks if scores[i] >= 0.95 * best)
    return float(lags[i] / body.fps), float(best)


def straightest_deg(body, features, lag):
    """Least turn over one period among the strides that close at most 1.5 times as badly as the best one."""
    velocity = np.gradient(features, axis=0) * body.fps
    gap = np.linalg.norm(features[lag:] - features[:-lag], axis=1) + 0.1 * np.linalg.norm(velocity[lag:] - velocity[:-lag], axis=1)
    turn = np.abs(body.heading[lag:] - body.heading[:-lag])
    return float(np.degrees(turn[gap <= 1.5 * gap.min()].min()))


def gait(path):
    """What a clip does, judged from its positions: kind, period_s, speed_m_s, level_m, straightest_deg, frames.

    walk: ankles swing in turn, forward, one foot always stands, 0.4–2.2 m/s. run: the same with flight or faster.
    hop: both ankles swing together and leave the ground. broken: frames of zeros. still: less than 0.25 m/s. other: anything else.
    """
    body = source(path)
    out = {"path": path, "kind": "other", "seconds": len(body) / body.fps, "level_m": 0.0, "period_s": None}
    if out["seconds"] < 1.2 or out["seconds"] > LONG_S:
        return {**out, "kind": "short" if out["seconds"] < 1.2 else "long"}
    if is_broken(body):
        return {**out, "kind": "broken"}
    hips = body.path("hips")[:, [0, 2]]
    step = body.steps(0.2)
    velocity = (hips[step:] - hips[:-step]) * body.fps / step
    speed = float(np.median(np.linalg.norm(velocity, axis=1)))
    face = np.stack([np.sin(body.heading), np.cos(body.heading)], -1)[step // 2 : step // 2 + len(velocity)]
    forward = float(np.median((unit(velocity) * face).sum(-1)))
    features = gait_features(body)
    left, right = features[:, 2] - features[:, 2].mean(), features[:, 5] - features[:, 5].mean()
    alternate = float((left * right).sum() / np.sqrt((left**2).sum() * (right**2).sum() + 1e-12))
    lift = np.minimum(*[np.min([body.height(joint) for side, _, joint in body.foot_points if side == own], axis=0) for own in SIDES])
    flight = float((lift > 0.06).mean())
    period, score = period_s(body)
    levels = body.levels_m([s for s in body.stances if s.part == "toe"])
    out.update(speed_m_s=speed, period_s=period, level_m=float(np.ptp(levels)) if len(levels) else 0.0)
    if period and score > PERIODIC:
        out["straightest_deg"] = straightest_deg(body, features, round(period * body.fps))
    moves = period and score > PERIODIC and speed > 0.4 and forward > 0.7 and alternate < -0.4 and np.ptp(left) > 0.3
    if moves and 0.7 <= period <= 1.9 and speed < 2.2 and flight < 0.03:
        out["kind"] = "walk"
    elif moves and period <= 1.2 and (speed >= 2.2 or flight >= 0.03):
        out["kind"] = "run"
    elif flight > 0.08 and alternate > 0.0 and period and score > 0.4 and np.ptp(features[:, 6]) > 0.1:
        out["kind"] = "hop"
    elif speed < 0.25:
        out["kind"] = "still"
    return out
