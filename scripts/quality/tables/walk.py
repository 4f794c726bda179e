"""`walk` with strides of 0.3 … 0.9 m, of 1.0 and 1.1 leg lengths (thigh and shin) and turns of ±90° on every walk that is found.

A step's place is the ankle joint over the ground at the middle frame of the longest flat phase (ankle and toe stand, by speed and
height on the written motion) after the swing that the report names; the error is its distance to the planned place. `stride_mm` is the largest error of a
step length against the one asked for, in straight plans. `steps_missing` counts steps without such a stance. Knee: least flexion, negative when bent backward, about the axis that the source's own
motion shows. Toes: bend that lasts for 0.1 s beyond the source's largest.
"""
import numpy as np

from .. import clips
from ..body import SIDES, intervals
from ..tool import Case, Measure

TITLE = "Walks on planned footfalls"
ARCHIVE_COUNT = 120
COUNT = 8
LANDING_S = 0.35  # a stance may begin this long after the reported end of the swing
LEVEL_M = 0.06  # walks on stairs and slopes are left out
PLANS = {f"stride {stride}": ("--stride", stride) for stride in (0.3, 0.5, 0.7, 0.9)}
LEGS = {f"legs {legs}": legs for legs in (1.0, 1.1)}  # strides in leg lengths
PLANS.update({plan: () for plan in LEGS})
PLANS.update({f"turn {turn:+}": ("--stride", 0.6, "--turn", turn) for turn in (90, -90)})
MEASURES = {
    "footfall_mm": Measure("mm", 2.0),
    "stride_mm": Measure("mm", 2.0),
    "steps_missing": Measure("steps", 0.5),
    "least_knee_deg": Measure("°", 2.0, "high"),
    "source_least_knee_deg": Measure("°", better=None),
    "toe_excess_deg": Measure("°", 5.0),
    "source_slip_worst_mm": Measure("mm", better=None),
    "slip_mm": Measure("mm", 1.0),
    "slip_worst_mm": Measure("mm", 5.0),
    "hips_p99_ratio": Measure("ratio to source", 0.2),
    "knee_pop": Measure("ratio to source", 0.2),
    "joint_speed_ratio": Measure("ratio to source", 0.2),
}


def cases(context):
    mine = [g for g in context.gaits(context.captured) if g["kind"] == "walk"]
    archive = clips.sample([g for g in context.gaits(context.archived) if g["kind"] == "walk" and g["level_m"] < LEVEL_M], ARCHIVE_COUNT, seed=3)
    return [Case(f"{plan} {clips.clip_name(g['path'])}", (g["path"], plan), (g["path"],)) for plan in PLANS for g in mine + archive]


def flat_phases(body, side):
    """Intervals in which the ankle and, if there is one, the toe of a foot stand."""
    mask = np.ones(len(body), bool)
    for part in {part for own, part, _ in body.foot_points if own == side}:
        stands = np.zeros(len(body), bool)
        for stance in body.stances:
            if (stance.side, stance.part) == (side, part):
                stands[stance.start : stance.end] = True
        mask &= stands
    return intervals(mask)


def footfalls(out, steps):
    """Distances between planned and reached places, mm; reached places by step, metres (x, z), None without a stance."""
    flat = {side: flat_phases(out, side) for side in SIDES}
    errors, places = [], []
    for i, step in enumerate(steps):
        start = step["start_s"] * out.fps
        later = [other["start_s"] * out.fps for other in steps[i + 1 :] if other["foot"] == step["foot"]]
        end = later[0] + out.steps(0.1) if later else len(out)
        # The stance before the swing overlaps its start; the one that follows has its middle after the swing's middle.
        swing_end = step["end_s"] * out.fps
        half = (start + swing_end) / 2
        own = [(a, b) for a, b in flat[step["foot"]] if half < (a + b) / 2 < end and a < swing_end + out.steps(LANDING_S)]
        if not own:
            places.append(None)
            continue
        first, last = max(own, key=lambda interval: interval[1] - interval[0])
        place = out.path(f"{step['foot']} foot")[(first + last - 1) // 2]
        places.append(place[[0, 2]])
        errors.append(1e3 * float(np.hypot(place[0] - step["planned"][0], place[2] - step["planned"][2])))
    return errors, places


def measure(case, tool):
    path, plan = case.args
    body = clips.source(path)
    stride = float(plan.split()[1]) if plan.startswith("stride") else None
    words = PLANS[plan]
    if plan in LEGS:
        stride = round(LEGS[plan] * body.leg_m, 4)
        words = ("--stride", stride)
    report, _ = tool.run("walk", path, *words, "--count", COUNT, "-o", tool.out("out.bvh"))
    return judge(body, clips.result(tool.out("out.bvh"), body), report, stride)


def judge(body, out, report, stride=None):
    """Measures of a walk; `stride` in metres if it goes straight along +Z."""
    errors, places = footfalls(out, report["steps"])
    lengths = [b[1] - a[1] for a, b in zip(places, places[1:]) if a is not None and b is not None]
    axes = body.knee_axes()
    own = body.slides_mm(body.flat_stances)
    slips = out.slides_mm(out.flat_stances)
    return {
        "footfall_mm": max(errors) if errors else None,
        "stride_mm": 1e3 * max(abs(length - stride) for length in lengths) if stride and lengths else None,
        "steps_missing": float(sum(place is None for place in places)),
        "least_knee_deg": out.least_knee_deg(axes),
        "source_least_knee_deg": body.least_knee_deg(axes),
        "toe_excess_deg": max(0.0, out.toe_bend_deg(body.toe_centre()) - body.toe_bend_deg(body.toe_centre())),
        "source_slip_worst_mm": float(own.max()) if len(own) else None,
        "slip_mm": float(np.median(slips)) if len(slips) else None,
        "slip_worst_mm": float(slips.max()) if len(slips) else None,
        "hips_p99_ratio": out.hips_p99() / max(body.hips_p99(), 1.0),
        "knee_pop": out.knee_pop(body),
        "joint_speed_ratio": float(np.quantile(out.joint_speed, 0.999) / max(np.quantile(body.joint_speed, 0.99), 1.0)),
    }


def summary(rows):
    out = {}
    for plan in PLANS:
        own = [row for row in rows if row["case"].startswith(plan + " ")]
        out[f"{plan}: without result"] = f"{sum(row['status'] != 'ok' for row in own)} of {len(own)}"
    return out
