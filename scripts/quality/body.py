"""What is measured on a body: roles, stances, slide, floor, knees, hips, heading. Metres, seconds, Y up.

All definitions are this file's own; nothing is taken from Ugoki's reports.
"""
import re
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from . import bvh

# Stance of one joint (ankle or toe), judged with hysteresis: it starts below the first value, goes on below the second.
STANCE_SPEED_M_S = (0.20, 0.35)
STANCE_HEIGHT_M = (0.03, 0.05)  # above the joint's own lowest point within GROUND_WINDOW_S
GROUND_WINDOW_S = 0.6  # on each side: an uneven floor counts as level within it
STANCE_MIN_S = 0.10
STANCE_TRIM_S = 0.04  # at each end: landing and roll-off are not slide
# A foot that stands this much higher than the other standing foot for this long is held in the air, not on the ground.
RAISED_M, RAISED_S = 0.08, 0.5
# Flat foot, judged by height alone: ankle and toe within this of their lowest points.
FLAT_HEIGHT_M = 0.025
ACCELERATION_STEP_S = 1 / 30  # step of the second difference, the same for every rate
KNEE_BENT_DEG = 15.0  # frames that show a knee's axis
KNEE_CALM_DEG_S2 = 5000.0  # accelerations below this are no pops
MAJOR = ("hips", "chest", "neck", "thigh", "shin", "foot", "upperarm", "forearm")
SIDES = ("left", "right")

# Joint names, lower case without separators and prefixes; S is left or right, s is l or r.
NAMES = {
    "hips": ("hips", "pelvis", "hip", "root"),
    "chest": ("spine1", "chest", "spine03", "spine2", "spine"),
    "neck": ("neck", "neck1", "neck01"),
    "head": ("head",),
    "thigh": ("Supleg", "Sthigh", "Supperleg", "sthigh", "thighs", "Ship", "uplegs", "Sleg"),
    "shin": ("Sshin", "Sknee", "Slowerleg", "sshin", "calfs", "legs", "Sleg"),
    "foot": ("Sfoot", "Sankle", "sfoot", "foots"),
    "toe": ("Stoebase", "Stoes", "Stoe", "stoe", "balls", "toebases", "Sfootthumb1"),
    "upperarm": ("Supperarm", "sshldr", "upperarms", "arms", "Sarm", "Sshoulder"),
    "forearm": ("Sforearm", "Selbow", "Slowerarm", "sforearm", "lowerarms", "forearms"),
    "hand": ("Shand", "Swrist", "shand", "hands"),
}


def find_roles(names):
    """Role → joint index; roles of limbs are such as `left thigh`."""
    plain = {}
    for index, name in enumerate(names):
        plain.setdefault(re.sub(r"^.*:|[ _.\-]", "", name).lower(), index)
    roles = {}
    for role, patterns in NAMES.items():
        sided = any(letter in pattern for pattern in patterns for letter in "S") or role in ("thigh", "shin", "foot", "toe")
        for side in SIDES if sided else ("",):
            for pattern in patterns:
                name = pattern.replace("S", side) if "S" in pattern else re.sub(r"^s(?=[a-z])|s$", side[:1], pattern) if side else pattern
                if name in plain and plain[name] not in roles.values():
                    roles[f"{side} {role}".strip()] = plain[name]
                    break
    return roles


@dataclass(frozen=True)
class Stance:
    """Frames start … end−1 in which one joint of a foot stands."""

    side: str
    part: str
    joint: int
    start: int
    end: int


def intervals(mask):
    edges = np.diff(np.concatenate([[0], np.asarray(mask).astype(int), [0]]))
    return list(zip(np.flatnonzero(edges == 1), np.flatnonzero(edges == -1)))


def running_min(values, half):
    padded = np.pad(values, half, mode="edge")
    return np.lib.stride_tricks.sliding_window_view(padded, 2 * half + 1).min(-1)


def unit(vectors):
    return vectors / np.maximum(np.linalg.norm(vectors, axis=-1, keepdims=True), 1e-12)


def slide_m(path):
    """Largest distance over the ground between any two places of a path, metres: its extent in 24 directions (0.2 % low at most)."""
    angles = np.arange(24) * np.pi / 24
    return float(np.ptp(path[:, [0, 2]] @ np.stack([np.cos(angles), np.sin(angles)]), axis=0).max())


class Body:
    """A motion in metres with Y up, and its measures."""

    def __init__(self, motion, tpose=None):
        self.motion, self.fps, self.tpose = motion, motion.fps, tpose
        self.roles = find_roles(motion.names)
        missing = [role for role in ("hips", "left thigh", "left shin", "left foot", "right thigh", "right shin", "right foot") if role not in self.roles]
        if missing:
            raise ValueError(f"no joint for {', '.join(missing)}")

    def __len__(self):
        return len(self.motion)

    def path(self, role):
        return self.motion.positions[:, self.roles[role]]

    def steps(self, seconds, least=1):
        return max(least, round(seconds * self.fps))

    def part(self, start, end=None):
        return Body(self.motion.part(start, end), self.tpose)

    @property
    def leg_m(self):
        """Thigh and shin, mean of both sides."""
        chain = [self.roles[f"{side} {role}"] for side in SIDES for role in ("shin", "foot")]
        return float(np.linalg.norm(self.path_offsets(chain), axis=1).sum() / 2)

    def path_offsets(self, joints):
        """Offsets from each joint to the role above it: joints between count (twist joints)."""
        out = []
        stops = set(self.roles.values())
        for joint in joints:
            parent = self.motion.parents[joint]
            while parent >= 0 and parent not in stops:
                parent = self.motion.parents[parent]
            out.append(self.motion.positions[0, joint] - self.motion.positions[0, parent])
        return np.array(out)

    # --- feet

    @cached_property
    def foot_points(self):
        return [(side, part, self.roles[f"{side} {part}"]) for side in SIDES for part in ("foot", "toe") if f"{side} {part}" in self.roles]

    def speed(self, joint):
        """Central difference over about 1/30 s, m/s."""
        step = self.steps(1 / 60)
        path = np.pad(self.motion.positions[:, joint], ((step, step), (0, 0)), mode="edge")
        span = np.full(len(self), 2.0 * step)
        span[:step] = span[len(self) - step :] = step
        return np.linalg.norm(path[2 * step :] - path[: -2 * step], axis=1) * self.fps / span

    def height(self, joint):
        """Above the joint's lowest point within GROUND_WINDOW_S on each side."""
        y = self.motion.positions[:, joint, 1]
        return y - running_min(y, self.steps(GROUND_WINDOW_S))

    def trimmed(self, start, end):
        trim = self.steps(STANCE_TRIM_S)
        return start + trim, end - trim

    @cached_property
    def stances(self):
        """Stances of every ankle and toe by speed and height with hysteresis, trimmed at their ends."""
        found = []
        for side, part, joint in self.foot_points:
            speed, height = self.speed(joint), self.height(joint)
            inner = (speed < STANCE_SPEED_M_S[0]) & (height < STANCE_HEIGHT_M[0])
            outer = (speed < STANCE_SPEED_M_S[1]) & (height < STANCE_HEIGHT_M[1])
            for start, end in intervals(outer):
                if end - start < self.steps(STANCE_MIN_S) or not inner[start:end].any():
                    continue
                start, end = self.trimmed(start, end)
                if end - start >= 2:
                    found.append(Stance(side, part, joint, start, end))
        return [stance for stance in found if not self.is_raised(stance, found)]

    def is_raised(self, stance, stances):
        """Whether the other foot stands much lower for most of the time: this one is held in the air."""
        y = lambda s, a, b: np.median(self.motion.positions[a:b, s.joint, 1])
        for other in stances:
            if other.side == stance.side or other.part != stance.part:
                continue
            start, end = max(stance.start, other.start), min(stance.end, other.end)
            if end - start > RAISED_S * self.fps and y(stance, start, end) - y(other, start, end) > RAISED_M:
                return True
        return False

    @cached_property
    def flat_stances(self):
        """Stances of the toe (or ankle) by height alone, so that a foot that slides counts too."""
        found = []
        for side in SIDES:
            joints = [joint for own, _, joint in self.foot_points if own == side]
            low = np.all([self.height(joint) < FLAT_HEIGHT_M for joint in joints], axis=0)
            for start, end in intervals(low):
                start, end = self.trimmed(start, end)
                if end - start >= self.steps(STANCE_MIN_S):
                    found.append(Stance(side, "flat", joints[-1], start, end))
        return found

    def slides_mm(self, stances):
        """Slide of each stance in this motion; stances may come from another motion with the same frames."""
        roles = {(side, part): joint for side, part, joint in self.foot_points}
        out = []
        for stance in stances:
            joint = stance.joint if stance.part == "flat" else roles.get((stance.side, stance.part))
            if joint is not None and stance.end <= len(self):
                out.append(1e3 * slide_m(self.motion.positions[stance.start : stance.end, joint]))
        return np.array(out)

    def skate_mm_s(self, stances):
        """Mean speed over the ground in the frames of the stances, mm/s."""
        roles = {(side, part): joint for side, part, joint in self.foot_points}
        speeds = []
        for stance in stances:
            joint = stance.joint if stance.part == "flat" else roles.get((stance.side, stance.part))
            if joint is not None and stance.end <= len(self):
                path = self.motion.positions[stance.start : stance.end, joint][:, [0, 2]]
                speeds.append(np.linalg.norm(np.diff(path, axis=0), axis=1) * self.fps)
        return float(1e3 * np.concatenate(speeds).mean()) if speeds else None

    def levels_m(self, stances):
        """Median height of each stance's joint."""
        return np.array([np.median(self.motion.positions[s.start : s.end, s.joint, 1]) for s in stances if s.end <= len(self)])

    def floor_m(self, start=0, end=None):
        """Median height of the stances of the toes (ankles without toes) whose middle is in start:end; None without any."""
        end = len(self) if end is None else end
        part = "toe" if any(part == "toe" for _, part, _ in self.foot_points) else "foot"
        own = [s for s in self.stances if s.part == part and start <= (s.start + s.end) / 2 < end]
        return float(np.median(self.levels_m(own))) if own else None

    def penetration_mm(self, stances):
        """Deepest point of an ankle or toe below the ground between its stances.

        The ground is interpolated in time between the median heights of neighbouring stances of that joint;
        pairs whose heights differ by 5 cm or more (steps, slopes) are left out.
        """
        deepest = 0.0
        for side, part, joint in self.foot_points:
            own = [s for s in stances if (s.side, s.part) == (side, part) and s.end <= len(self)]
            y = self.motion.positions[:, joint, 1]
            level = [np.median(y[s.start : s.end]) for s in own]
            for a, b, low, high in zip(own, own[1:], level, level[1:]):
                if abs(high - low) < 0.05:
                    ground = np.interp(np.arange(a.start, b.end), [a.end, b.start], [low, high])
                    deepest = max(deepest, float((ground - y[a.start : b.end]).max()))
        return 1e3 * deepest

    def swing_heights_m(self, stances):
        """Rise of each ankle between successive stances of it, above the higher one."""
        out = []
        for side in SIDES:
            joint = self.roles[f"{side} foot"]
            own = [s for s in stances if (s.side, s.part) == (side, "foot") and s.end <= len(self)]
            y = self.motion.positions[:, joint, 1]
            for a, b in zip(own, own[1:]):
                out.append(float(y[a.end : b.start].max() - max(np.median(y[a.start : a.end]), np.median(y[b.start : b.end]))) if b.start > a.end else 0.0)
        return np.array(out)

    # --- legs

    def leg(self, side):
        thigh, shin, foot = (self.path(f"{side} {role}") for role in ("thigh", "shin", "foot"))
        return unit(shin - thigh), unit(foot - shin)

    def knee_flexion_deg(self, side):
        upper, lower = self.leg(side)
        return np.degrees(np.arccos(np.clip((upper * lower).sum(-1), -1.0, 1.0)))

    def knee_axis(self, side):
        """Mean axis of flexion in the thigh's own frame over the frames with a bent knee; None without any."""
        upper, lower = self.leg(side)
        bent = self.knee_flexion_deg(side) > KNEE_BENT_DEG
        if not bent.any():
            return None
        axes = np.einsum("tji,tj->ti", self.motion.frames[:, self.roles[f"{side} thigh"]], np.cross(upper, lower))
        return unit(axes[bent].sum(0))

    def signed_knee_deg(self, side, axis=None):
        """Flexion, negative when bent backward. `axis` is that of `knee_axis` of the same skeleton; without it
        the pelvis' left, projected at right angles to the thigh, is taken."""
        upper, lower = self.leg(side)
        if axis is None:
            left = self.path("left thigh") - self.path("right thigh")
            world = unit(left - upper * (left * upper).sum(-1, keepdims=True))
        else:
            world = self.motion.frames[:, self.roles[f"{side} thigh"]] @ axis
        return np.degrees(np.arctan2((np.cross(upper, lower) * world).sum(-1), (upper * lower).sum(-1)))

    def least_knee_deg(self, axes=None):
        """Least signed flexion of both knees that lasts for 1/30 s."""
        lowest = []
        for side in SIDES:
            signed = self.signed_knee_deg(side, axes[side] if axes else None)
            lowest.append(-sustained_max(-signed, self.steps(1 / 30)))
        return float(min(lowest))

    def knee_axes(self):
        return {side: self.knee_axis(side) for side in SIDES}

    def knee_acceleration(self, fps=None):
        """Largest angular acceleration of a knee from frame to frame, °/s²; of every so many frames for a lower rate."""
        step = max(1, round(self.fps / (fps or self.fps)))
        if len(self) < 3 * step:
            return 0.0
        return float(max(np.abs(np.diff(self.knee_flexion_deg(side)[::step], 2)).max() for side in SIDES) * (self.fps / step) ** 2)

    def knee_pop(self, *sources):
        """Largest knee acceleration as a ratio to the sources' largest at the same rate, or to KNEE_CALM_DEG_S2."""
        return self.knee_acceleration() / max(KNEE_CALM_DEG_S2, *(body.knee_acceleration(self.fps) for body in sources))

    def toe_bend_deg(self, centre=None):
        """Bend of the toes that lasts for 0.1 s, from the mean local rotation `centre` (of a source). Largest of both."""
        worst = 0.0
        for side in SIDES:
            if f"{side} toe" in self.roles:
                local = self.motion.rotations[:, self.roles[f"{side} toe"]]
                middle = centre[side] if centre else mean_rotation(local)
                worst = max(worst, sustained_max(bvh.angle_deg(middle.T @ local), self.steps(0.1)))
        return float(worst)

    def toe_centre(self):
        return {side: mean_rotation(self.motion.rotations[:, self.roles[f"{side} toe"]]) for side in SIDES if f"{side} toe" in self.roles}

    # --- whole body

    @cached_property
    def hips_acceleration(self):
        """|second difference| of the hips over ACCELERATION_STEP_S for each frame but those at the ends, m/s²."""
        step = self.steps(ACCELERATION_STEP_S)
        path = self.path("hips")
        if len(path) <= 2 * step:
            return np.zeros(len(path))
        inner = np.linalg.norm(path[2 * step :] - 2 * path[step:-step] + path[: -2 * step], axis=1) * (self.fps / step) ** 2
        return np.pad(inner, step)

    def hips_p99(self):
        return float(np.quantile(self.hips_acceleration, 0.99))

    @cached_property
    def heading(self):
        """Direction in which hips and shoulders face, radians about Y, unwrapped; 0 = +Z."""
        left = unit(self.path("left thigh") - self.path("right thigh"))
        if "left upperarm" in self.roles and "right upperarm" in self.roles:
            left = left + unit(self.path("left upperarm") - self.path("right upperarm"))
        return np.unwrap(np.arctan2(-left[:, 2], left[:, 0]))

    @cached_property
    def major(self):
        return [index for role, index in self.roles.items() if role.split()[-1] in MAJOR]

    @cached_property
    def joint_speed(self):
        """Largest local angular speed of the major joints from frame to frame, °/s."""
        local = self.motion.rotations[:, self.major]
        turn = np.swapaxes(local[:-1], -1, -2) @ local[1:]
        return bvh.angle_deg(turn).max(1) * self.fps if len(self) > 1 else np.zeros(1)

    @cached_property
    def velocity_step(self):
        """Largest change of velocity of a major joint between successive frames, mm/s; entry i belongs to frame i + 1."""
        second = np.diff(self.motion.positions[:, self.major], 2, axis=0)
        return 1e3 * self.fps * np.linalg.norm(second, axis=-1).max(1) if len(self) > 2 else np.zeros(1)

    @cached_property
    def rotation_step(self):
        """Largest difference between a major joint's turn from frame to frame and the one before, degrees."""
        local = self.motion.rotations[:, self.major]
        turn = np.swapaxes(local[:-1], -1, -2) @ local[1:]
        return bvh.angle_deg(np.swapaxes(turn[:-1], -1, -2) @ turn[1:]).max(1) if len(self) > 2 else np.zeros(1)

    def shift_m(self, other):
        """Median displacement of the hips against another motion with the same frames: a floor that was levelled."""
        frames = min(len(self), len(other))
        return np.median(self.path("hips")[:frames] - other.path("hips")[:frames], axis=0)

    def distance_mm(self, other, shift=None):
        """Mean and largest distance of the joints that both have, over the frames that both have, mm; `shift` is taken out."""
        names = [name for name in self.motion.names if name in other.motion.names]
        frames = min(len(self), len(other))
        mine = self.motion.positions[:frames, [self.motion.index(name) for name in names]]
        theirs = other.motion.positions[:frames, [other.motion.index(name) for name in names]]
        apart = 1e3 * np.linalg.norm(mine - theirs - (0.0 if shift is None else shift), axis=-1)
        return float(apart.mean()), float(apart.max())


def sustained_max(values, steps):
    """Largest value that is kept or exceeded for `steps` successive frames."""
    steps = min(max(1, steps), len(values))
    return float(np.lib.stride_tricks.sliding_window_view(values, steps).min(-1).max())


def mean_rotation(matrices):
    """Rotation nearest to the mean matrix."""
    u, _, v = np.linalg.svd(matrices.mean(0))
    return u @ np.diag([1, 1, np.linalg.det(u @ v)]) @ v
