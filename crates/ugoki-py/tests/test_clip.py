"""Clips and their arrays."""

import pickle

import numpy as np
import pytest

import ugoki


def test_shapes_and_types(walk):
    frames, joints = len(walk), walk.num_joints
    assert walk.rotations(order="wxyz").shape == (frames, joints, 4)
    assert walk.positions.shape == (frames, joints, 3)
    assert walk.root.shape == (frames, 3)
    assert walk.offsets.shape == (joints, 3)
    assert walk.parents.dtype == np.int32
    assert walk.contacts.shape == (frames, 4) and walk.contacts.dtype == bool
    assert len(walk.names) == len(walk.roles) == joints
    assert walk.seconds == pytest.approx(frames / walk.fps)
    assert "hips" in walk.roles


def test_both_orders_hold_the_same_rotations(walk):
    wxyz, xyzw = walk.rotations(order="wxyz"), walk.rotations(order="xyzw")
    assert np.array_equal(np.roll(wxyz, -1, axis=2), xyzw)
    assert np.allclose(np.linalg.norm(wxyz, axis=2), 1, atol=1e-6)


def test_the_order_must_be_named(walk):
    with pytest.raises(TypeError):
        walk.rotations()
    with pytest.raises(ValueError, match="wxyz"):
        walk.rotations(order="zyxw")


def test_parts_are_views_that_cannot_be_written(walk):
    parts = walk.rotation_parts
    assert np.array_equal(np.stack(parts, axis=2), walk.rotations(order="wxyz"))
    for part in parts:
        assert part.base is walk and not part.flags.writeable and not part.flags.owndata
        with pytest.raises(ValueError):
            part[0, 0] = 1


def test_a_view_keeps_its_clip_alive(folder):
    part = ugoki.read(folder / "walk.bvh").rotation_parts[0]
    copies = [np.zeros(part.size * 4) for _ in range(8)]
    del copies
    assert np.array_equal(part, ugoki.read(folder / "walk.bvh").rotation_parts[0])


def test_forward_kinematics_follow_from_the_arrays(walk):
    rotations = pytest.importorskip("scipy.spatial.transform").Rotation
    local, offsets, parents = walk.rotations(order="xyzw"), walk.offsets, walk.parents
    moved = walk.translations
    turned = [None] * walk.num_joints
    places = np.zeros((len(walk), walk.num_joints, 3))
    for joint, parent in enumerate(parents):
        own = rotations.from_quat(local[:, joint])
        if parent < 0:
            turned[joint], places[:, joint] = own, walk.root
        else:
            turned[joint] = turned[parent] * own
            offset = moved[joint] if joint in moved else offsets[joint]
            places[:, joint] = places[:, parent] + turned[parent].apply(offset)
    assert np.abs(places - walk.positions).max() < 1e-5  # metres; f32 against f64
    world = walk.global_rotations(order="xyzw")
    assert np.abs(np.abs((world[:, -1] * turned[-1].as_quat()).sum(axis=1)) - 1).max() < 1e-5


def test_arrays_make_the_same_clip_again(walk):
    again = ugoki.Clip.from_arrays(
        walk.rotations(order="wxyz"), walk.root, walk.parents, walk.offsets, walk.fps,
        order="wxyz", names=walk.names, roles=walk.roles, contacts=walk.contacts, name=walk.name,
    )  # fmt: skip
    assert np.array_equal(again.rotations(order="wxyz"), walk.rotations(order="wxyz"))
    assert np.array_equal(again.positions, walk.positions)
    assert np.array_equal(again.contacts, walk.contacts)
    assert again.roles == walk.roles and again.names == walk.names


def test_roles_come_from_names_when_not_given(walk):
    again = ugoki.Clip.from_arrays(
        walk.rotations(order="xyzw"), walk.root, walk.parents.tolist(), walk.offsets, 30.0, order="xyzw", names=walk.names
    )
    assert [role for role in again.roles if role] == [role for role in walk.roles if role]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"rotations": np.zeros((3, 2, 4))}, "no length"),
        ({"rotations": np.ones((3, 3, 4))}, "shape"),
        ({"root": np.full((3, 3), np.nan)}, "finite"),
        ({"parents": [1, -1]}, "earlier joint"),
        ({"fps": 0.0}, "frames per second"),
        ({"names": ["a"]}, "names has 1"),
        ({"roles": ["hip", None]}, "no role"),
    ],
)
def test_arrays_that_are_no_motion_are_refused(change, message):
    good = {
        "rotations": np.tile([1.0, 0, 0, 0], (3, 2, 1)), "root": np.zeros((3, 3)), "parents": [-1, 0],
        "offsets": np.ones((2, 3)), "fps": 30.0,
    }  # fmt: skip
    assert len(ugoki.Clip.from_arrays(**good, order="wxyz")) == 3
    with pytest.raises((ValueError, ugoki.Error), match=message):
        ugoki.Clip.from_arrays(**(good | change), order="wxyz")


def test_pickled_clips_are_equal(walk):
    again = pickle.loads(pickle.dumps(walk))
    assert again == walk and again.tags == walk.tags
    assert ugoki.Clip.from_bytes(walk.to_bytes()) == walk
    planted = ugoki.plant(walk)
    assert np.array_equal(pickle.loads(pickle.dumps(planted)).contacts, planted.contacts)


def test_slices_are_clips(walk):
    part = walk[10:30]
    assert len(part) == 20 and np.array_equal(part.positions, walk.positions[10:30])
    assert len(walk[-5:]) == 5
    with pytest.raises(IndexError):
        walk[::2]
    with pytest.raises(IndexError):
        walk[5:5]


def test_replaced_numbers_leave_the_clip_as_it_was(walk):
    before = walk.root
    higher = walk.replace(root=before + np.float32([0, 1, 0]), name="higher")
    assert np.allclose(higher.positions - walk.positions, [0, 1, 0], atol=1e-5)
    assert np.array_equal(walk.root, before) and higher.name == "higher"
    same = walk.replace(rotations=walk.rotations(order="xyzw"), order="xyzw")
    assert np.array_equal(same.rotations(order="wxyz"), walk.rotations(order="wxyz"))


@pytest.mark.parametrize("ending", ["bvh", "npz", "glb", "csv"])
def test_saved_clips_are_what_convert_writes(walk, folder, tmp_path, ending):
    walk.save(tmp_path / f"a.{ending}")
    ugoki.convert(folder / "walk.bvh", output=tmp_path / f"b.{ending}")
    assert (tmp_path / f"a.{ending}").read_bytes() == (tmp_path / f"b.{ending}").read_bytes()


def test_bytes_are_read_as_their_file(folder):
    data = (folder / "walk.bvh").read_bytes()
    read, from_file = ugoki.read(data), ugoki.read(folder / "walk.bvh")
    assert np.array_equal(read.rotations(order="wxyz"), from_file.rotations(order="wxyz"))
    assert np.array_equal(ugoki.read(bytearray(data)).root, from_file.root)


def test_arrays_work_with_other_packages(walk):
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame(walk.root, columns=["x", "y", "z"])
    assert len(table) == len(walk)
    assert np.from_dlpack(walk.positions).shape == walk.positions.shape


def test_the_notebook_view_is_one_self_contained_page(walk):
    page = walk._repr_html_()
    assert page.startswith("<iframe") and "srcdoc=" in page
    assert "http://" not in page and "https://" not in page
    assert len(page) < 200_000
    long = ugoki.Clip.from_arrays(
        np.tile(walk.rotations(order="wxyz"), (1 + 36_000 // len(walk), 1, 1)),
        np.tile(walk.root, (1 + 36_000 // len(walk), 1)), walk.parents, walk.offsets, 60.0, order="wxyz", names=walk.names,
    )  # fmt: skip
    assert len(long._repr_html_()) < 1_000_000
