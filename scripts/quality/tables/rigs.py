"""The same motion on other rigs: results must not depend on rest pose, local axes or roll.

Every verb runs on the original and on the variant (both written by this package, without T-pose); global positions of
the joints that both have are compared. Rigs with the same joints: `filter`, `plant`, `walk`, `loop`, `splice`, `blend` and `convert --retarget`
should agree within 0.1 mm. Rigs with other joints: only refusals, footfalls, knees and toes of `walk` are required.
"""
import os

from .. import bvh, clips, rig
from ..body import Body
from ..tool import Case, Measure
from . import walk

TITLE = "Rigs"
SOURCES = (("35_05", "16_15"), ("16_21", "35_34"))  # the second is the partner for splice and blend
ARGUMENTS = {
    "filter": lambda a, b, target, out: ("filter", a, out, "--kernel", "gauss:3"),
    "plant": lambda a, b, target, out: ("plant", a, out),
    "walk": lambda a, b, target, out: ("walk", a, "--stride", 0.5, "--count", 6, "-o", out),
    "walk-turn": lambda a, b, target, out: ("walk", a, "--stride", 0.6, "--turn", 60, "--count", 6, "-o", out),
    "walk-clamp": lambda a, b, target, out: ("walk", a, "--stride", 0.5, "--count", 6, "--clamp", "-o", out),
    "loop": lambda a, b, target, out: ("loop", a, out),
    "splice": lambda a, b, target, out: ("splice", a, b, "-o", out),
    "blend": lambda a, b, target, out: ("blend", a, b, "-o", out),
    "retarget": lambda a, b, target, out: ("convert", a, out, "--retarget", target),
}
MEASURES = {
    "joints_mm": Measure("mm", 0.5),
    "joints_max_mm": Measure("mm", 2.0),
    "frames_differ": Measure("frames", 0.5),
    "other_joints_mm": Measure("mm, other joints", 0.5),
    "footfall_mm": Measure("mm", 2.0),
    "stride_mm": Measure("mm", 2.0),
    "steps_missing": Measure("steps", 0.5),
    "least_knee_deg": Measure("°", 2.0, "high"),
    "toe_excess_deg": Measure("°", 5.0),
}
SAME_MM = 0.1  # mean distance below which results are the same
KNEE_BACK_DEG = -5.0
STEP = 4  # 120 → 30 fps, the rate at which such rigs come


def cases(context):
    out = []
    target = os.path.join(context.captures, "dialects", "mixamo_namespaced.bvh")
    folder = os.path.join(context.captures, "cmu", "locomotion")
    for first, second in SOURCES:
        paths = tuple(os.path.join(folder, name + ".bvh") for name in (first, second))
        for variant in {**rig.SAME_JOINTS, **rig.OTHER_JOINTS}:
            out += [Case(f"{variant}: {verb} {first}", (paths, variant, verb, target), paths) for verb in ARGUMENTS]
    return out


def written(tool, path, variant):
    """A capture at 30 fps without T-pose in a variant (None: as it is), written once."""
    label = f"{variant or 'original'}".replace(" ", "-")

    def build(into):
        motion = bvh.read(path).part(1)
        cut = slice(None, None, STEP)
        motion = bvh.Motion(motion.names, motion.parents, motion.offsets, motion.tips, motion.rotations[cut], motion.root[cut], motion.fps / STEP)
        bvh.write(into, motion if variant is None else {**rig.SAME_JOINTS, **rig.OTHER_JOINTS}[variant](motion))

    return tool.make(f"rigs/{label}/{clips.clip_name(path)}.bvh", build)


def read_body(path, up="y"):
    motion = bvh.read(path)
    motion = motion.turned(bvh.axis_rotation(0, -90.0)) if up == "z" else motion
    return Body(motion.scaled(bvh.CMU_UNIT_M))


def measure(case, tool):
    paths, variant, verb, target = case.args
    sources, results, reports = {}, {}, {}
    for label in (None, variant):
        files = [written(tool, path, label) for path in paths]
        up = "z" if label == "file Z up" else "y"
        sources[label] = read_body(files[0], up)
        out = tool.out(f"{'variant' if label else 'original'}.bvh")
        reports[label], _ = tool.run(*ARGUMENTS[verb](*files, target, out))
        # Retargeted files are in the target's axes.
        results[label] = clips.result(out, sources[None], "y" if verb == "retarget" else up)
    mine, original = results[variant], results[None]
    if variant == "mirrored names" and verb != "retarget":
        mine = Body(rig.mirrored_names(mine.motion))
    mean, largest = mine.distance_mm(original)
    same = variant in rig.SAME_JOINTS
    values = {
        "joints_mm": mean if same else None,
        "joints_max_mm": largest if same else None,
        "frames_differ": float(abs(len(mine) - len(original))) if same else None,
        "other_joints_mm": None if same else mean,
    }
    if verb.startswith("walk"):
        judged = walk.judge(sources[variant], results[variant], reports[variant], None if verb == "walk-turn" else 0.5)
        values.update({name: judged[name] for name in ("footfall_mm", "stride_mm", "steps_missing", "least_knee_deg", "toe_excess_deg")})
    return values


def summary(rows):
    """For each variant and each verb: how many results are the same, refusals, knees bent back."""
    out = {}
    groups = {variant: [row for row in rows if row["case"].startswith(variant + ":")] for variant in {**rig.SAME_JOINTS, **rig.OTHER_JOINTS}}
    groups.update({f"`{verb}`": [row for row in rows if f": {verb} " in row["case"]] for verb in ARGUMENTS})
    for variant, own in groups.items():
        if own:
            far = [row["values"]["joints_mm"] for row in own if "joints_mm" in row["values"]]
            back = sum(row["values"].get("least_knee_deg", 0.0) < KNEE_BACK_DEG for row in own)
            near = f"{sum(value <= SAME_MM for value in far)} of {len(far)} within {SAME_MM} mm, " if far else ""
            out[variant] = f"{near}{sum(row['status'] != 'ok' for row in own)} of {len(own)} without result, {back} with knees bent back"
    return out
