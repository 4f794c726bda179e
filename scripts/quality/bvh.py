"""Reads and writes BVH and computes forward kinematics, independently of Ugoki.

Channels replace a joint's offset; rotations are intrinsic in file order, R = R1 R2 R3. Lengths stay in the
file's unit; `Motion.scaled` gives metres.
"""
import re
from dataclasses import dataclass, replace

import numpy as np

AXES = {"X": 0, "Y": 1, "Z": 2}
CMU_UNIT_M = 0.0254 / 0.45  # metres per unit of CMU's BVH files


@dataclass(frozen=True)
class Motion:
    """Local rotations and root path of a body, and what follows from them.

    `rotations` (T, J, 3, 3) local; `root` (T, 3); `offsets` (J, 3); `tips` joint → offset of its end site;
    `positions` (T, J, 3) and `frames` (T, J, 3, 3) are global.
    """

    names: list
    parents: list
    offsets: np.ndarray
    tips: dict
    rotations: np.ndarray
    root: np.ndarray
    fps: float
    positions: np.ndarray = None
    frames: np.ndarray = None

    def __len__(self):
        return len(self.root)

    def index(self, name):
        return self.names.index(name)

    def part(self, start, end=None):
        """The frames start:end."""
        cut = slice(start, end)
        pick = lambda a: None if a is None else a[cut]
        return replace(self, rotations=self.rotations[cut], root=self.root[cut], positions=pick(self.positions), frames=pick(self.frames))

    def scaled(self, factor):
        tips = {joint: factor * tip for joint, tip in self.tips.items()}
        return replace(self, offsets=factor * self.offsets, tips=tips, root=factor * self.root, positions=factor * self.positions)

    def turned(self, matrix):
        """The same body in a world turned by `matrix`."""
        return replace(self, root=self.root @ matrix.T, positions=self.positions @ matrix.T, frames=matrix @ self.frames)

    def posed(self):
        """With `positions` and `frames` computed again."""
        positions, frames = forward_kinematics(self.parents, self.offsets, self.rotations, self.root)
        return replace(self, positions=positions, frames=frames)


def forward_kinematics(parents, offsets, rotations, root):
    positions = np.empty(rotations.shape[:2] + (3,))
    frames = np.empty_like(rotations)
    for joint, parent in enumerate(parents):
        if parent < 0:
            positions[:, joint], frames[:, joint] = root, rotations[:, joint]
        else:
            positions[:, joint] = positions[:, parent] + frames[:, parent] @ offsets[joint]
            frames[:, joint] = frames[:, parent] @ rotations[:, joint]
    return positions, frames


def axis_rotation(axis, degrees):
    """Matrices (…, 3, 3) that turn about one coordinate axis (0, 1, 2)."""
    angle = np.radians(np.asarray(degrees, float))
    out = np.zeros(angle.shape + (3, 3))
    i, j = (axis + 1) % 3, (axis + 2) % 3
    out[..., axis, axis] = 1.0
    out[..., i, i] = out[..., j, j] = np.cos(angle)
    out[..., j, i] = np.sin(angle)
    out[..., i, j] = -out[..., j, i]
    return out


def rotation_vector_matrix(vectors):
    """Matrices of rotation vectors (…, 3) in radians (Rodrigues)."""
    vectors = np.asarray(vectors, float)
    angle = np.linalg.norm(vectors, axis=-1)[..., None, None]
    axis = vectors / np.maximum(angle[..., 0], 1e-12)
    cross = np.zeros(vectors.shape[:-1] + (3, 3))
    for i, j, k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
        cross[..., j, i], cross[..., i, j] = axis[..., k], -axis[..., k]
    return np.eye(3) + np.sin(angle) * cross + (1 - np.cos(angle)) * cross @ cross


def angle_deg(matrices):
    """Angles of rotation matrices, degrees; accurate near 0 and near 180."""
    sine = np.stack([matrices[..., 2, 1] - matrices[..., 1, 2], matrices[..., 0, 2] - matrices[..., 2, 0], matrices[..., 1, 0] - matrices[..., 0, 1]], -1)
    return np.degrees(np.arctan2(np.linalg.norm(sine, axis=-1), np.trace(matrices, axis1=-2, axis2=-1) - 1))


def read(path):
    """Reads a BVH file; raises ValueError with the path when it is none."""
    with open(path, errors="replace") as file:
        head, _, rows = file.read().partition("MOTION")
    names, parents, offsets, channels, tips = [], [], [], [], {}
    stack, in_tip, pending = [], False, None
    lines = iter(head.splitlines())
    for line in lines:
        words = line.split()
        if not words:
            continue
        key = words[0].upper()
        if key in ("ROOT", "JOINT"):
            pending = len(names)
            names.append(" ".join(words[1:]))
            parents.append(stack[-1] if stack else -1)
            offsets.append(np.zeros(3))
            channels.append([])
        elif key == "END":
            pending = "tip"
        elif key == "{":
            in_tip = pending == "tip"
            stack.append(stack[-1] if in_tip else pending)
        elif key == "}":
            stack.pop()
            in_tip = False
        elif key == "OFFSET":
            values = np.array([float(word) for word in words[1:4]])
            if in_tip:
                tips.setdefault(stack[-1], values)
            else:
                offsets[stack[-1]] = values
        elif key == "CHANNELS":
            channels[stack[-1]] = words[2 : 2 + int(words[1])]
    match = re.search(r"Frames:\s*(\d+)\s+Frame Time:\s*([0-9.eE+-]+)", rows)
    if not names or not match:
        raise ValueError(f"{path}: not a BVH file")
    width = sum(len(own) for own in channels)
    values = np.array(rows[match.end() :].split(), dtype=float)
    values = values[: len(values) // width * width].reshape(-1, width)
    fps = 1.0 / float(match.group(2))
    if abs(fps - round(fps)) < 1e-3 * fps:
        fps = float(round(fps))
    count = len(values)
    rotations = np.tile(np.eye(3), (count, len(names), 1, 1))
    root = np.tile(offsets[0], (count, 1))
    column = 0
    for joint, own in enumerate(channels):
        for channel in own:
            axis = AXES[channel[0].upper()]
            if channel.lower().endswith("position"):
                if joint == 0:
                    root[:, axis] = values[:, column]
            else:
                rotations[:, joint] = rotations[:, joint] @ axis_rotation(axis, values[:, column])
            column += 1
    motion = Motion(names, parents, np.array(offsets), tips, rotations, root, fps)
    return motion.posed()


def euler_zyx(matrices):
    """Degrees (…, 3) of the intrinsic rotations Z, Y, X."""
    y = np.arcsin(np.clip(-matrices[..., 2, 0], -1.0, 1.0))
    z = np.arctan2(matrices[..., 1, 0], matrices[..., 0, 0])
    x = np.arctan2(matrices[..., 2, 1], matrices[..., 2, 2])
    return np.degrees(np.stack([z, y, x], -1))


def write(path, motion):
    """Writes six channels for the root and ZYX rotations for every joint."""
    children = {joint: [] for joint in range(-1, len(motion.names))}
    for joint, parent in enumerate(motion.parents):
        children[parent].append(joint)
    order, lines = [], ["HIERARCHY"]

    def node(joint, depth):
        order.append(joint)
        tab = "\t" * depth
        offset = np.zeros(3) if depth == 0 else motion.offsets[joint]
        position = "6 Xposition Yposition Zposition" if depth == 0 else "3"
        lines.extend([f"{tab}{'JOINT' if depth else 'ROOT'} {motion.names[joint]}", tab + "{"])
        lines.append(f"{tab}\tOFFSET " + " ".join(f"{value:.6f}" for value in offset))
        lines.append(f"{tab}\tCHANNELS {position} Zrotation Yrotation Xrotation")
        for child in children[joint]:
            node(child, depth + 1)
        if not children[joint]:
            tip = motion.tips.get(joint, np.zeros(3))
            lines.extend([f"{tab}\tEnd Site", f"{tab}\t{{", f"{tab}\t\tOFFSET " + " ".join(f"{value:.6f}" for value in tip), f"{tab}\t}}"])
        lines.append(tab + "}")

    node(0, 0)
    angles = euler_zyx(motion.rotations[:, order]).reshape(len(motion), -1)
    lines.extend(["MOTION", f"Frames: {len(motion)}", f"Frame Time: {1 / motion.fps:.9f}"])
    with open(path, "w") as file:
        file.write("\n".join(lines) + "\n")
        for row in np.hstack([motion.root, angles]).tolist():
            file.write(" ".join(["%.6f" % value for value in row]) + "\n")
