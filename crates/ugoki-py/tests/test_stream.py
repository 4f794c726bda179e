"""Objects for loops."""

import numpy as np
import pytest

import ugoki


def test_a_player_plays_the_clip_and_stops(walk):
    player = ugoki.Player([walk])
    assert len(player.segments) >= 1 and player.segment == 0
    seconds, poses = 1 / 60, []
    while not player.finished and len(poses) < 2000:
        poses.append(player.tick(seconds))
    assert player.finished and abs(len(poses) * seconds - walk.seconds) < 0.5
    assert poses[10].positions.shape == (walk.num_joints, 3)
    assert np.allclose(np.linalg.norm(poses[10].rotations(order="wxyz"), axis=1), 1, atol=1e-5)
    # No jump between ticks: a walker's joints move less than 10 m/s.
    places = np.stack([pose.positions for pose in poses])
    assert np.linalg.norm(np.diff(places, axis=0), axis=2).max() < 10 * seconds


def test_a_player_refuses_what_is_not_there(walk):
    player = ugoki.Player([walk])
    with pytest.raises(ugoki.Error):
        player.request(10_000)
    with pytest.raises(ValueError):
        player.put("up", 0.0, 0.0)
    with pytest.raises(TypeError):
        ugoki.Player([])


def test_a_simulation_is_react_frame_by_frame(folder):
    squat = ugoki.read(folder / "squat.bvh")
    reacted = ugoki.react(squat, loads=["8@chest"]).rotations(order="wxyz")
    simulation = ugoki.Simulation(squat, loads=["8@chest"])
    poses = [simulation.pose]
    while not simulation.done:
        poses.append(simulation.step())
    first = len(squat) - len(poses)
    stepped = np.stack([pose.rotations(order="wxyz") for pose in poses])
    expected = reacted[first:]
    # Signs of quaternions are made continuous in a clip.
    same = (stepped == expected).all(axis=2) | (stepped == -expected).all(axis=2)
    assert same.all()


def test_a_push_moves_the_body(folder):
    squat = ugoki.read(folder / "squat.bvh")

    def end(push):
        simulation = ugoki.Simulation(squat)
        for _ in range(5):
            simulation.step()
        if push:
            simulation.push("chest", (0.0, 0.0, -20.0))
        for _ in range(5):
            pose = simulation.step()
        return pose.positions

    assert np.abs(end(True) - end(False)).max() > 0.002  # metres
    assert np.array_equal(end(False), end(False))
    with pytest.raises(ValueError):
        ugoki.Simulation(squat).push("tail", (0, 0, 1))


def test_a_follower_is_perform_run_frame_by_frame(folder, tmp_path):
    model, wave = tmp_path / "wave.ugoki", folder / "wave.bvh"
    slower = ugoki.convert(wave, speed=0.9)
    ugoki.perform.learn([wave, folder / "wave.bvh"], output=model)
    performed = ugoki.perform.run(model, input=slower)
    follower = ugoki.Follower(str(model), slower)
    poses = [follower.step_clip(slower, frame) for frame in range(int(slower.tpose_frame), len(slower))]
    assert follower.found["motion"] and 0 <= follower.found["confidence"] <= 1
    expected = performed.rotations(order="wxyz")
    stepped = np.stack([pose.rotations(order="wxyz") for pose in poses if pose is not None])
    same = (stepped == expected).all(axis=2) | (stepped == -expected).all(axis=2)
    assert same.mean() > 0.99
    frame = len(slower) - 1
    by_arrays = ugoki.Follower(str(model), slower)
    pose = by_arrays.step(slower.rotations(order="xyzw")[frame], slower.root[frame], order="xyzw")
    assert pose.positions.shape[1] == 3
