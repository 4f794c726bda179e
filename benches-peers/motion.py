"""Reading, filtering, blending and aligning motions with what Python users have."""

import numpy as np
from scipy.ndimage import uniform_filter1d
from scipy.spatial.transform import Rotation

from clock import measure, row

JOINTS = 31


def read_bvh(folder, sizes):
    """The same BVH file by each reader; per frame."""
    import bvhio
    from pymotion.io.bvh import BVH

    out = []
    for frames in sizes:
        path = str(folder / f"walk_{frames}.bvh")

        def pymotion():
            bvh = BVH()
            bvh.load(path)
            return bvh

        out.append(row("bvh.read", frames, "upc-pymotion", "BVH.load", measure(pymotion, least=3), frames))
        hierarchy = measure(lambda: bvhio.readAsBvh(path), least=2)
        out.append(row("bvh.read", frames, "bvhio", "readAsBvh", hierarchy, frames))
    return out


def kinematics(folder, sizes):
    """World positions of all joints; per frame."""
    from pymotion.io.bvh import BVH
    from pymotion.ops.skeleton import fk

    out = []
    for frames in sizes:
        bvh = BVH()
        bvh.load(str(folder / f"walk_{frames}.bvh"))
        rotations, positions, parents, offsets, _, _ = bvh.get_data()
        root = positions[:, 0, :]
        work = lambda: fk(rotations, root, offsets, parents)
        out.append(row("bvh.kinematics", frames, "upc-pymotion", "ops.skeleton.fk", measure(work), frames))
    return out


def rotations(frames, seed=1):
    """Smooth rotations of all joints."""
    random = np.random.default_rng(seed)
    knots = random.normal(size=(frames // 10 + 2, JOINTS, 3)) * 0.3
    at = np.linspace(0, len(knots) - 1.001, frames)
    low = at.astype(int)
    fraction = (at - low)[:, None, None]
    vectors = knots[low] * (1 - fraction) + knots[low + 1] * fraction
    return Rotation.from_rotvec(vectors.reshape(-1, 3)).as_quat().reshape(frames, JOINTS, 4)


def filter_box(sizes, width=51):
    """Mean rotation of 51 frames around each; per frame of 31 joints."""
    out = []
    half = width // 2
    for frames in sizes:
        quaternions = rotations(frames)
        padded = np.pad(quaternions, ((half, half), (0, 0), (0, 0)), mode="edge")

        some = min(frames, 100)

        def mean():
            # One eigenproblem per joint and frame; a hundred frames in one call are enough to know its cost.
            windows = np.lib.stride_tricks.sliding_window_view(padded[: some + width - 1], width, axis=0)
            return Rotation.from_quat(np.ascontiguousarray(windows.transpose(3, 0, 1, 2))).mean(axis=0)

        def running_sum():
            # Signs are aligned along each track, as ours are, so that a plain moving average does.
            total = uniform_filter1d(quaternions, width, axis=0, mode="nearest")
            return total / np.linalg.norm(total, axis=-1, keepdims=True)

        def normalised_sum():
            windows = np.lib.stride_tricks.sliding_window_view(padded, width, axis=0)
            first = windows[..., :1]
            signs = np.sign(np.einsum("fjqw,fjqo->fjw", windows, first))
            total = np.einsum("fjqw,fjw->fjq", windows, signs)
            return total / np.linalg.norm(total, axis=-1, keepdims=True)

        exact = measure(mean, least=2)
        out.append(row("signal.filter.exact", frames, "scipy", "Rotation.mean, all in one call", exact, some))
        moving = measure(running_sum, least=3)
        out.append(row("signal.filter.qlerp", frames, "scipy", "ndimage.uniform_filter1d, normalised", moving, frames))
        quick = measure(normalised_sum, least=3)
        out.append(row("signal.filter.qlerp", frames, "numpy", "sliding windows, normalised sum", quick, frames))
    return out


def blend(sizes, clips=8):
    """Eight rotations of each joint mixed; per frame of 31 joints."""
    out = []
    weights = np.arange(1, clips + 1) / sum(range(1, clips + 1))
    for frames in sizes:
        stack = np.stack([rotations(frames, seed) for seed in range(clips)])

        def mean():
            return Rotation.from_quat(stack).mean(np.broadcast_to(weights[:, None, None], stack.shape[:-1]), axis=0)

        def normalised_sum():
            signs = np.sign(np.einsum("cfjq,fjq->cfj", stack, stack[0]))
            total = np.einsum("cfjq,cfj,c->fjq", stack, signs, weights)
            return total / np.linalg.norm(total, axis=-1, keepdims=True)

        exact = measure(mean, least=2)
        out.append(row("signal.blend.exact", frames, "scipy", "Rotation.mean, all in one call", exact, frames))
        quick = measure(normalised_sum)
        out.append(row("signal.blend.qlerp", frames, "numpy", "normalised sum", quick, frames))
    return out


def align(sizes):
    """Time registration of two motions of 31 joints."""
    from dtaidistance import dtw, dtw_ndim

    out = []
    for frames in sizes:
        random = np.random.default_rng(3)
        a, b = (np.cumsum(random.normal(size=(frames, JOINTS * 3)), axis=0) for _ in range(2))

        def path():
            _, paths = dtw_ndim.warping_paths_fast(a, b)
            return dtw.best_path(paths)

        if frames <= 1000:
            whole = measure(path, least=2)
            out.append(row("signal.align", frames, "dtaidistance", "warping_paths_fast + best_path", whole))
    return out
