"""Other rigs with the same motion: local axes turned, joints removed or added, names changed. All written by this package.

A joint's frame turned by C_j: global G'_j = G_j C_j, so R'_j = C_parentᵀ R_j C_j and offset'_j = C_parentᵀ offset_j. No joint moves.
"""
from dataclasses import replace

import numpy as np

from . import bvh
from .body import unit

ARM_JOINTS = ("Shoulder", "Arm", "ForeArm", "Hand", "FingerBase", "HandIndex1", "Thumb")
A_POSE_DEG = 45.0
# The joints of the common 22-joint body, by CMU's names.
BODY_22 = ["Hips"] + [side + name for side in ("Left", "Right") for name in ("UpLeg", "Leg", "Foot", "ToeBase")] + ["LowerBack", "Spine", "Spine1", "Neck", "Head"]
BODY_22 += [side + name for side in ("Left", "Right") for name in ("Shoulder", "Arm", "ForeArm", "Hand")]


def main_child(motion, joint):
    """The child that the bone points to: the one with the longest offset; None for a leaf."""
    children = [c for c, parent in enumerate(motion.parents) if parent == joint]
    return max(children, key=lambda c: np.linalg.norm(motion.offsets[c]), default=None)


def bone(motion, joint):
    """Direction of a joint's bone in its own frame."""
    child = main_child(motion, joint)
    vector = motion.offsets[child] if child is not None else motion.tips.get(joint, np.zeros(3))
    return unit(vector) if np.linalg.norm(vector) > 1e-6 else np.array([0.0, 1.0, 0.0])


def reframed(motion, turns):
    """Every joint's frame turned by turns[joint] (3, 3); joints stay where they are."""
    rotations, offsets, tips = motion.rotations.copy(), motion.offsets.copy(), dict(motion.tips)
    for joint, parent in enumerate(motion.parents):
        above = turns[parent] if parent >= 0 else np.eye(3)
        rotations[:, joint] = above.T @ rotations[:, joint] @ turns[joint]
        offsets[joint] = above.T @ offsets[joint]
        if joint in tips:
            tips[joint] = turns[joint].T @ tips[joint]
    return replace(motion, rotations=rotations, offsets=offsets, tips=tips)


def along_x(motion, second=0):
    """All bones along their joint's X; Z as near as possible to a coordinate axis of the rest pose: 0 lateral, 2 forward."""
    turns = []
    for joint in range(len(motion.names)):
        x = bone(motion, joint)
        z = np.eye(3)[second] if abs(x[second]) < 0.8 else np.eye(3)[2 - second]
        y = unit(np.cross(z, x))
        turns.append(np.stack([x, y, np.cross(x, y)], -1))
    return reframed(motion, turns)


def rolled(motion, seed=3):
    """Every joint rolled about its bone by a random angle of 30 … 170° to either side."""
    rng = np.random.default_rng(seed)
    turns = []
    for joint in range(len(motion.names)):
        angle = np.radians(rng.uniform(30, 170)) * rng.choice([-1, 1])
        turns.append(bvh.rotation_vector_matrix(bone(motion, joint) * angle))
    return reframed(motion, turns)


def rest_z_up(motion):
    """The rest pose lies on its back: Z is up in it; the motion is as before."""
    return reframed(motion, [bvh.axis_rotation(0, -90.0)] * len(motion.names))


def a_pose(motion):
    """Arms of the rest pose lowered by A_POSE_DEG."""
    turns = []
    for name in motion.names:
        side = 1 if name.startswith("Left") else -1 if name.startswith("Right") else 0
        side = side or (1 if name == "LThumb" else -1 if name == "RThumb" else 0)
        is_arm = any(name.endswith(part) for part in ARM_JOINTS[1:])
        turns.append(bvh.axis_rotation(2, side * A_POSE_DEG) if is_arm else np.eye(3))
    return reframed(motion, turns)


def world_z_up(motion):
    """The whole file with Z up."""
    turn = bvh.axis_rotation(0, 90.0)
    rotations = motion.rotations.copy()
    rotations[:, 0] = turn @ rotations[:, 0]
    return replace(motion, root=motion.root @ turn.T, rotations=rotations)


def kept(motion, keep):
    """Only the joints of `keep`: rotations of those left out are passed to their children."""
    posed = motion.posed()
    old = [joint for joint, name in enumerate(motion.names) if name in keep]
    parents, offsets, tips, rotations = [], [], {}, []
    for new, joint in enumerate(old):
        above = motion.parents[joint]
        while above >= 0 and above not in old:
            above = motion.parents[above]
        parents.append(old.index(above) if above >= 0 else -1)
        if above < 0:
            offsets.append(np.zeros(3))
            rotations.append(posed.frames[:, joint])
        else:
            inverse = np.swapaxes(posed.frames[:, above], -1, -2)
            apart = np.einsum("tij,tj->ti", inverse, posed.positions[:, joint] - posed.positions[:, above])
            offsets.append(np.median(apart, axis=0))
            rotations.append(inverse @ posed.frames[:, joint])
        child = main_child(motion, joint)
        tips[new] = motion.tips.get(joint, motion.offsets[child] if child is not None else np.zeros(3))
    return replace(motion, names=[motion.names[joint] for joint in old], parents=parents, offsets=np.array(offsets), tips=tips, rotations=np.stack(rotations, 1), root=motion.root)


def no_toes(motion):
    return kept(motion, [name for name in motion.names if "Toe" not in name])


def with_joints(motion, plan):
    """Joints added: plan is (name, above, part): `above` gets its bone split at `part` of its offset, with no rotation."""
    for name, child_name, part in plan:
        names, parents, tips = list(motion.names), list(motion.parents), dict(motion.tips)
        child = names.index(child_name)
        # Inserted in front of the child; later indices move by one.
        move = lambda joint: joint + 1 if joint >= child else joint
        above, whole = parents[child], motion.offsets[child]
        offsets = np.insert(motion.offsets, child, part * whole, axis=0)
        offsets[child + 1] = (1 - part) * whole
        parents = [move(p) for p in parents]
        parents.insert(child, above)
        parents[child + 1] = child
        names.insert(child, name)
        rotations = np.insert(motion.rotations, child, np.eye(3), axis=1)
        motion = replace(motion, names=names, parents=parents, offsets=offsets, tips={move(j): t for j, t in tips.items()}, rotations=rotations)
    return motion


def twist_joints(motion):
    limbs = [("UpLegTwist", "Leg"), ("LegTwist", "Foot"), ("ArmTwist", "ForeArm"), ("ForeArmTwist", "Hand")]
    return with_joints(motion, [(side + name, side + child, 0.5) for side in ("Left", "Right") for name, child in limbs])


def three_joint_feet(motion):
    return with_joints(motion, [(side + "MidFoot", side + "ToeBase", 0.5) for side in ("Left", "Right")])


def mirrored_names(motion):
    """Left and right swapped in the names; the body is as before."""
    swap = {"Left": "Right", "Right": "Left"}
    names = []
    for name in motion.names:
        side = next((side for side in swap if name.startswith(side)), None)
        if side:
            names.append(swap[side] + name[len(side) :])
        elif name[:1] in "LR" and name[1:2].isupper():
            names.append({"L": "R", "R": "L"}[name[0]] + name[1:])
        else:
            names.append(name)
    return replace(motion, names=names)


def along_x_rolled(motion):
    return rolled(along_x(motion))


def body_22(motion):
    """22 joints with all bones along X and rolls of their own, as research data sets often have them."""
    return along_x_rolled(kept(motion, BODY_22))


SAME_JOINTS = {"along X": along_x, "along X rolled": along_x_rolled, "rolled": rolled, "rest Z up": rest_z_up, "A-pose": a_pose, "file Z up": world_z_up}
OTHER_JOINTS = {"no toes": no_toes, "twist joints": twist_joints, "three-joint feet": three_joint_feet, "mirrored names": mirrored_names, "22 joints along X": body_22}
