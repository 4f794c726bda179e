"""`convert --retarget` between skeletons of many tools.

Source and result are scaled to legs of LEG_M, so that mm compare between sizes. Stances are the source's own. Level: how much more
the stance heights of the ankles spread (90th − 10th percentile) than the source's. Knee: how far it bends backward
beyond the source's own least flexion, about the pelvis' left.
"""
import os
from dataclasses import replace

import numpy as np

from .. import bvh, clips, rig
from ..body import Body
from ..tool import Case, Measure
from . import rigs

TITLE = "Retargets"
LEG_M = 0.85
ARCHIVE_COUNT = 20
SOURCES = ("locomotion/35_05", "locomotion/16_21", "locomotion/16_36", "locomotion/36_01", "locomotion/69_59", "gesture/05_02", "gesture/29_08", "sport/141_14", "sport/10_01")
FOREIGN = ("dialects/pymo_8walk_xyz.bvh", "dialects/mocapbank_lf.bvh", "fbx/ozz_pab_jog.fbx")  # sources onto a CMU skeleton
TARGETS = (
    "dialects/mixamo_namespaced.bvh",
    "dialects/pybvh_mixed_orders.bvh",
    "dialects/pymo_8walk_xyz.bvh",
    "dialects/mocapbank_lf.bvh",
    "dialects/pybvh_yxz_crlf.bvh",
    "fbx/ozz_pab_jog.fbx",
    "gltf/mesh2motion_rig_human.glb",
    "vrma/threevrm_test.vrma",
    "cmu/locomotion/69_24.bvh",
)
RIG_22 = "22 joints along X"
MEASURES = {
    "source_slide_mm": Measure("mm", better=None),
    "slide_mm": Measure("mm", 1.0),
    "slide_worst_mm": Measure("mm", 5.0),
    "level_mm": Measure("mm", 3.0),
    "knee_back_deg": Measure("°", 2.0),
    "knee_pop": Measure("ratio to source", 0.2),
    "hips_p99_ratio": Measure("ratio to source", 0.1),
}


def cases(context):
    at = lambda name: os.path.join(context.captures, name)
    sources = [at(f"cmu/{name}.bvh") for name in SOURCES] + context.sample_archive(ARCHIVE_COUNT, seed=4)
    targets = [at(name) for name in TARGETS] + [RIG_22]
    pairs = [(source, target) for target in targets for source in sources]
    pairs += [(at(source), at("cmu/locomotion/69_24.bvh")) for source in FOREIGN]
    seed = at("cmu/locomotion/35_32.bvh")  # carries the 22-joint rig
    out = []
    for source, target in pairs:
        label = target if target == RIG_22 else clips.clip_name(target)
        files = (source, seed if target == RIG_22 else target)
        if all(os.path.exists(path) for path in files):
            out.append(Case(f"{clips.clip_name(source)} → {label}", (source, target, seed), files))
    return out


def upright(motion):
    """Scaled to legs of LEG_M and turned to Y up where Z is."""
    body = Body(motion)
    tall = body.path("head") - (body.path("left foot") + body.path("right foot")) / 2 if "head" in body.roles else body.path("hips")
    if np.median(np.abs(tall[:, 2])) > np.median(np.abs(tall[:, 1])):
        motion = motion.turned(bvh.axis_rotation(0, -90.0))
    return Body(motion.scaled(LEG_M / body.leg_m))


def measure(case, tool):
    path, target, seed = case.args
    if target == RIG_22:
        target = rigs.written(tool, seed, RIG_22)
    if not path.endswith(".bvh"):
        read = lambda into: tool.reference.run("convert", path, into)
        body = upright(bvh.read(tool.make(f"retarget/{tool.reference.hash}/{clips.clip_name(path)}.bvh", read)))
    elif "dialects" in path:
        body = upright(bvh.read(path))
    else:
        body = upright(replace(clips.source(path).motion))
    tool.run("convert", path, tool.out("out.bvh"), "--retarget", target)
    out = upright(bvh.read(tool.out("out.bvh")))
    if len(out) == len(body) + 1:
        out = out.part(1)
    if len(out) != len(body):
        raise ValueError(f"{len(out)} frames, {len(body)} expected")
    before, after = body.slides_mm(body.stances), out.slides_mm(body.stances)
    spread = lambda b: float(np.subtract(*np.quantile(b.levels_m(ankles(b, body.stances)), [0.9, 0.1])))
    return {
        "source_slide_mm": float(np.median(before)) if len(before) else None,
        "slide_mm": float(np.median(after)) if len(after) else None,
        "slide_worst_mm": float(after.max()) if len(after) else None,
        "level_mm": max(0.0, 1e3 * (spread(out) - spread(body))) if ankles(body, body.stances) else None,
        "knee_back_deg": max(0.0, min(0.0, body.least_knee_deg()) - out.least_knee_deg()),
        "knee_pop": out.knee_pop(body),
        "hips_p99_ratio": out.hips_p99() / max(body.hips_p99(), 1.0),
    }


def ankles(body, stances):
    """The ankles' stances, as joints of `body`."""
    return [replace(s, joint=body.roles[f"{s.side} foot"]) for s in stances if s.part == "foot"]
