"""Checks of the measures on constructed motions whose values are known."""
import os
import tempfile
from dataclasses import replace

import numpy as np

from . import bvh, clips, report, rig
from .body import Body, SIDES
from .tables import loop, splice, tpose, walk
from .tool import Measure

# name, parent, offset in metres; a body of 0.8 m legs, facing +Z.
JOINTS = [("Hips", None, (0, 0, 0))]
for _side, _x in (("Left", 1), ("Right", -1)):
    JOINTS += [(_side + "UpLeg", "Hips", (0.1 * _x, 0, 0)), (_side + "Leg", _side + "UpLeg", (0, -0.4, 0)), (_side + "Foot", _side + "Leg", (0, -0.4, 0))]
    JOINTS += [(_side + "ToeBase", _side + "Foot", (0, -0.06, 0.13))]
JOINTS += [("LowerBack", "Hips", (0, 0.1, 0)), ("Spine1", "LowerBack", (0, 0.3, 0)), ("Neck", "Spine1", (0, 0.1, 0)), ("Head", "Neck", (0, 0.1, 0))]
for _side, _x in (("Left", 1), ("Right", -1)):
    JOINTS += [(_side + "Arm", "Spine1", (0.2 * _x, 0, 0)), (_side + "ForeArm", _side + "Arm", (0.25 * _x, 0, 0)), (_side + "Hand", _side + "ForeArm", (0.25 * _x, 0, 0))]
HIPS_M = 0.86
CHECKS = []


def check(function):
    CHECKS.append(function)
    return function


def standing(frames, fps=120.0):
    names = [name for name, _, _ in JOINTS]
    parents = [-1 if parent is None else names.index(parent) for _, parent, _ in JOINTS]
    offsets = np.array([offset for _, _, offset in JOINTS], float)
    rotations = np.tile(np.eye(3), (frames, len(names), 1, 1))
    root = np.tile([0.0, HIPS_M, 0.0], (frames, 1))
    tips = {names.index(side + "ToeBase"): np.array([0, 0, 0.06]) for side in ("Left", "Right")}
    return bvh.Motion(names, parents, offsets, tips, rotations, root, fps).posed()


def walking(frames=480, fps=120.0, period=1.1, stride=0.6):
    """Both ankles on analytic paths: standing for half the period, then a swing; legs solved in the sagittal plane."""
    motion = standing(frames, fps)
    time = np.arange(frames) / fps
    hips = np.stack([0 * time, 0 * time + HIPS_M - 0.08, 2 * stride * time / period], -1)
    rotations = motion.rotations.copy()
    for side, shift in (("Left", 0.0), ("Right", 0.5)):
        phase = time / period + shift
        whole, part = np.floor(phase), phase % 1.0
        swing = np.clip((part - 0.5) / 0.5, 0.0, 1.0)
        z = 2 * stride * (whole - shift + swing * swing * (3 - 2 * swing)) + 0.5 * stride
        y = 0.06 + 0.10 * np.sin(np.pi * swing) ** 2
        dz, dy = z - hips[:, 2], y - hips[:, 1]
        reach = np.hypot(dz, dy).clip(0.1, 0.799)
        flexion = 2 * np.arccos(reach / 0.8)
        lean = np.arctan2(dz, -dy)
        thigh = lean + flexion / 2  # forward swing of the thigh; the shin goes back by the flexion
        index = motion.index
        rotations[:, index(side + "UpLeg")] = bvh.axis_rotation(0, -np.degrees(thigh))
        rotations[:, index(side + "Leg")] = bvh.axis_rotation(0, np.degrees(flexion))
        rotations[:, index(side + "Foot")] = bvh.axis_rotation(0, np.degrees(thigh - flexion))
    return replace(motion, rotations=rotations, root=hips).posed()


def near(value, wanted, tolerance):
    assert abs(value - wanted) <= tolerance, f"{value} instead of {wanted} ± {tolerance}"


@check
def written_files_are_read_back():
    rng = np.random.default_rng(1)
    motion = standing(20)
    motion = replace(motion, rotations=bvh.rotation_vector_matrix(rng.uniform(-1.5, 1.5, motion.rotations.shape[:2] + (3,)))).posed()
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "a.bvh")
        bvh.write(path, motion)
        again = bvh.read(path)
    assert again.names == motion.names and again.fps == 120.0
    near(np.abs(again.positions - motion.positions).max(), 0.0, 1e-5)
    near(np.abs(again.tips[4] - motion.tips[4]).max(), 0.0, 1e-6)


@check
def rotations_follow_their_definitions():
    near(np.abs(bvh.axis_rotation(2, 90.0) @ [1, 0, 0] - [0, 1, 0]).max(), 0.0, 1e-12)
    near(np.abs(bvh.rotation_vector_matrix([0, 0, np.pi / 2]) - bvh.axis_rotation(2, 90.0)).max(), 0.0, 1e-12)
    for degrees in (0.01, 30.0, 179.0):
        near(bvh.angle_deg(bvh.axis_rotation(1, degrees)), degrees, 1e-9)
    turned = bvh.axis_rotation(2, 20.0) @ bvh.axis_rotation(1, 30.0) @ bvh.axis_rotation(0, 40.0)
    near(np.abs(bvh.euler_zyx(turned) - [20, 30, 40]).max(), 0.0, 1e-9)


@check
def a_drift_of_50_mm_is_a_slide_of_50_mm():
    for fps in (30.0, 120.0):
        motion = standing(round(fps) + 1, fps)
        root = motion.root + np.outer(np.arange(len(motion)) / fps * 0.05, [0.6, 0, 0.8])
        body = Body(replace(motion, root=root).posed())
        assert len(body.stances) == 4 and len(body.flat_stances) == 2
        trimmed = 50 * (1 - 2 * body.steps(0.04) / fps)
        near(np.median(body.slides_mm(body.stances)), trimmed, 1.0 if fps > 100 else 2.0)
        near(body.skate_mm_s(body.stances), 50.0, 0.1)


@check
def a_walk_has_its_stances_and_none_in_swing():
    body = Body(walking())
    ankles = [s for s in body.stances if s.part == "foot"]
    assert 6 <= len(ankles) <= 9, len(ankles)
    near(body.slides_mm(ankles).max(), 0.0, 25.0)
    near(np.median([(s.end - s.start) / body.fps for s in ankles[1:-1]]), 0.55, 0.15)
    period, score = clips.period_s(body)
    near(period, 1.1, 0.02)
    assert score > 0.9
    near(np.median(body.swing_heights_m(ankles)), 0.10, 0.01)


@check
def a_raised_foot_does_not_stand():
    motion = standing(240)
    rotations = motion.rotations.copy()
    rotations[:, motion.index("LeftUpLeg")] = bvh.axis_rotation(0, -60.0)
    rotations[:, motion.index("LeftLeg")] = bvh.axis_rotation(0, 60.0)
    body = Body(replace(motion, rotations=rotations).posed())
    assert {s.side for s in body.stances} == {"right"}


@check
def a_step_of_the_floor_is_seen():
    motion = standing(480)
    root = motion.root.copy()
    root[240:, 1] += 0.03
    body = Body(replace(motion, root=root).posed())
    steps, floors = splice.floor_steps(body, [240], [True, True])
    near(steps[0], 30.0, 0.5)
    near(1e3 * (max(floors) - min(floors)), 30.0, 0.5)
    assert splice.floor_steps(body, [240], [True, False])[0] == []


@check
def penetration_is_the_depth_below_the_stances():
    motion = walking()
    body = Body(motion)
    # The constructed foot keeps level, so its toe never goes below the stance; sink one frame of a swing.
    ankles = [s for s in body.stances if s.side == "left" and s.part == "foot"]
    at = (ankles[0].end + ankles[1].start) // 2
    positions = motion.positions.copy()
    positions[at, motion.index("LeftFoot"), 1] = 0.06 - 0.02
    sunk = Body(replace(motion, positions=positions))
    near(sunk.penetration_mm(body.stances) - body.penetration_mm(body.stances), 20.0, 6.0)


@check
def a_knee_has_its_sign():
    bent = standing(60)
    for degrees in (40.0, -40.0):
        rotations = bent.rotations.copy()
        for side in ("Left", "Right"):
            rotations[:, bent.index(side + "Leg")] = bvh.axis_rotation(0, degrees)
        body = Body(replace(bent, rotations=rotations).posed())
        near(body.least_knee_deg(), degrees, 1e-6)
        near(body.knee_flexion_deg("left")[0], 40.0, 1e-6)
        forward = Body(walking()).knee_axes()
        near(body.least_knee_deg(forward), degrees, 1e-6)


@check
def the_knee_axis_does_not_depend_on_the_rig():
    for build in (rig.along_x_rolled, rig.rest_z_up):
        body = Body(build(walking()).posed())
        axes = body.knee_axes()
        original = Body(walking())
        near(body.least_knee_deg(axes), original.least_knee_deg(original.knee_axes()), 1e-6)


@check
def accelerations_are_those_of_a_sine():
    motion = standing(480)
    time = np.arange(480) / 120
    root = motion.root.copy()
    root[:, 0] = 0.05 * np.sin(2 * np.pi * time)
    rotations = motion.rotations.copy()
    rotations[:, motion.index("LeftLeg")] = bvh.axis_rotation(0, 40 + 20 * np.sin(4 * np.pi * time))
    body = Body(replace(motion, root=root, rotations=rotations).posed())
    near(body.hips_acceleration.max(), 0.05 * (2 * np.pi) ** 2, 0.02)
    near(body.knee_acceleration(), 20 * (4 * np.pi) ** 2, 20.0)
    # A second difference over 1/30 s is lower than the derivative; the tolerance is for the sampled phase.
    near(body.knee_acceleration(30.0), 20 * (2 * np.sin(2 * np.pi / 30) * 30) ** 2, 30.0)
    near(body.joint_speed.max(), 20 * 4 * np.pi, 1.0)


@check
def a_glitch_of_one_frame_is_no_bend_of_the_toes():
    motion = standing(240)
    rotations = motion.rotations.copy()
    rotations[100, motion.index("LeftToeBase")] = bvh.axis_rotation(0, 100.0)
    glitch = Body(replace(motion, rotations=rotations).posed())
    rotations = motion.rotations.copy()
    rotations[100:130, motion.index("LeftToeBase")] = bvh.axis_rotation(0, 50.0)
    bend = Body(replace(motion, rotations=rotations).posed())
    centre = Body(motion).toe_centre()
    near(glitch.toe_bend_deg(centre), 0.0, 1e-6)
    near(bend.toe_bend_deg(centre), 50.0, 1e-6)


@check
def the_heading_is_the_turn_of_the_body():
    motion = standing(10)
    rotations = motion.rotations.copy()
    rotations[:, 0] = bvh.axis_rotation(1, 30.0)
    near(np.degrees(Body(replace(motion, rotations=rotations).posed()).heading[0]), 30.0, 1e-9)


@check
def a_seam_step_is_found_where_it_is():
    motion = standing(240)
    root = motion.root.copy()
    root[:, 2] = np.arange(240) / 120 + np.where(np.arange(240) >= 120, 0.01, 0.0)
    body = Body(replace(motion, root=root).posed())
    near(loop.around(body.velocity_step, 120), 1200.0, 1e-6)
    near(loop.around(body.velocity_step, 60), 0.0, 1e-6)


@check
def footfalls_are_measured_at_the_stance_after_the_swing():
    body = Body(walking())
    period, stride = 1.1, 0.6
    steps = []
    for number in range(1, 3):
        start = (number - 0.5) * period
        z = 2 * stride * number + 0.5 * stride
        steps.append({"foot": "left", "start_s": start, "end_s": start + period / 2, "planned": [0.1, 0.0, z + 0.004]})
    errors, places = walk.footfalls(body, steps)
    assert len(errors) == 2 and all(place is not None for place in places)
    near(max(errors), 4.0, 0.5)


@check
def other_rigs_keep_every_joint_in_place():
    motion = walking(60)
    for name, build in {**rig.SAME_JOINTS, **rig.OTHER_JOINTS}.items():
        variant = build(motion).posed()
        if name == "file Z up":
            variant = variant.turned(bvh.axis_rotation(0, -90.0))
        back = Body(rig.mirrored_names(variant)) if name == "mirrored names" else Body(variant)
        near(back.distance_mm(Body(motion))[1], 0.0, 1e-6)
    assert np.abs(rig.along_x(motion).offsets[motion.index("LeftFoot")] - [0.4, 0, 0]).max() < 1e-9


@check
def a_generated_tpose_has_straight_limbs():
    pose, roles = tpose.straight_tpose(rig.rolled(walking(10)))
    arm = pose.positions[0, roles["left hand"]] - pose.positions[0, roles["left upperarm"]]
    leg = pose.positions[0, roles["right foot"]] - pose.positions[0, roles["right thigh"]]
    near(np.abs(arm - [0.5, 0, 0]).max() + np.abs(leg - [0, -0.8, 0]).max(), 0.0, 1e-6)


@check
def the_split_keeps_twins_together():
    halves = clips.half_of(range(1, 145))
    for group in clips.TWINS + clips.PARTNERS:
        assert len({halves[subject] for subject in group}) == 1
    assert abs(list(halves.values()).count("tune") - 72) < 8


@check
def small_differences_do_not_count():
    low, high = Measure("mm", 1.0), Measure("", 0.03, "high")
    assert not report.is_worse(low, 0.01, 0.02) and not report.is_worse(low, 20.0, 21.5) and report.is_worse(low, 20.0, 22.5)
    assert report.is_worse(high, 0.9, 0.8) and not report.is_worse(high, 0.9, 0.95)
    assert report.statistics([1, 2, 3], "high")[-1] == 1 and report.statistics([1, 2, 3], "low")[-1] == 3


def run():
    """Prints one line for each check; 1 if one fails."""
    failed = 0
    for function in CHECKS:
        name = function.__name__.replace("_", " ")
        try:
            function()
            print(f"ok      {name}")
        except (AssertionError, ValueError, IndexError, KeyError) as error:
            failed += 1
            print(f"FAILED  {name}: {error}")
    print(f"{len(CHECKS) - failed} of {len(CHECKS)} checks passed")
    return 1 if failed else 0
