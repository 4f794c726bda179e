"""Reads NPZ with numpy and CSV with numpy's and Python's own readers and compares the two.

Usage: tables.py FOLDER with NAME.npz and NAME.csv, as `cargo run -p ugoki --example numpy_oracle -- FOLDER` writes.
World positions are recomputed from the arrays in float64 and must be those of the table.
"""

import csv
import sys
from pathlib import Path

import numpy as np

# Metres; the table holds f32 positions of chains of f32 products a few metres from the origin.
BOUND_M = 1e-5
# The sine of the angle between two rotations, from the cross term of their quaternions.
BOUND_TURN = 1e-5


def rotate(q, v):
    """v turned by the quaternions q, w first."""
    w, u = q[..., :1], q[..., 1:]
    t = 2.0 * np.cross(u, v)
    return v + w * t + np.cross(u, t)


def multiply(a, b):
    """Hamilton product, w first."""
    aw, av, bw, bv = a[..., :1], a[..., 1:], b[..., :1], b[..., 1:]
    w = aw * bw - np.sum(av * bv, axis=-1, keepdims=True)
    return np.concatenate([w, aw * bv + bw * av + np.cross(av, bv)], axis=-1)


def forward_kinematics(clip):
    """World positions (T, J, 3) and rotations (T, J, 4)."""
    local = clip["quat_wxyz"].astype(np.float64)
    frames, joints, _ = local.shape
    places = np.broadcast_to(clip["offsets"].astype(np.float64), (frames, joints, 3)).copy()
    places[:, 0] = clip["root"]
    if "moved" in clip:
        places[:, clip["moved_joints"]] = clip["moved"]
    turns = local.copy()
    for joint, parent in enumerate(clip["parents"]):
        if parent >= 0:
            assert parent < joint, "parents stand before children"
            places[:, joint] = places[:, parent] + rotate(turns[:, parent], places[:, joint])
            turns[:, joint] = multiply(turns[:, parent], local[:, joint])
    return places, turns


def check(npz):
    clip = dict(np.load(npz))
    frames, joints, four = clip["quat_wxyz"].shape
    assert four == 4 and clip["root"].shape == (frames, 3) and clip["offsets"].shape == (joints, 3)
    assert clip["parents"].shape == clip["names"].shape == clip["roles"].shape == (joints,)
    assert clip["fps"].shape == () and float(clip["fps"]) > 0
    lengths = np.linalg.norm(clip["quat_wxyz"].astype(np.float64), axis=-1)
    assert np.abs(lengths - 1.0).max() < 1e-5, "unit quaternions"
    steps = np.sum(clip["quat_wxyz"][1:] * clip["quat_wxyz"][:-1], axis=-1)
    assert steps.min(initial=1.0) >= 0.0, "neighbours in one hemisphere"
    if "contacts" in clip:
        assert clip["contacts"].shape == (frames, 4) and clip["contacts"].dtype == bool
    with open(npz.with_suffix(".csv"), newline="") as file:
        rows = list(csv.reader(file))
    names = [f"{name}_px" for name in clip["names"]]
    assert rows[0][:4] == ["time", "root_x", "root_y", "root_z"] and rows[0][4::7] == names
    table = np.array(rows[1:], dtype=np.float64)
    assert table.shape == (frames, 4 + 7 * joints)
    assert np.abs(table[:, 0] - np.arange(frames) / float(clip["fps"])).max() < 1e-9
    assert np.array_equal(table[:, 1:4].astype(np.float32), clip["root"])
    cells = table[:, 4:].reshape(frames, joints, 7)
    places, turns = forward_kinematics(clip)
    # The files in centimetres have centimetres in both.
    unit = 0.01 if "cm" in npz.stem else 1.0
    far = np.linalg.norm(cells[..., :3] - places, axis=-1).max() * unit
    apart = np.abs(multiply(cells[..., 3:] * [1, -1, -1, -1], turns)[..., 1:]).max()
    assert far < BOUND_M, f"{npz.name}: {far} m"
    assert apart < BOUND_TURN, f"{npz.name}: {apart}"
    return frames, joints, far, apart


def main():
    files = sorted(Path(sys.argv[1]).glob("*.npz"))
    assert files, "no files"
    worst = (0.0, 0.0, "")
    for npz in files:
        frames, joints, far, apart = check(npz)
        worst = max(worst, (far, apart, npz.name))
    print(f"numpy: {len(files)} clips as NPZ and CSV agree; worst {worst[0] * 1e6:.3f} µm in {worst[2]}")


if __name__ == "__main__":
    main()
