"""`loop --cycles 3` on every walk, run and hop that is found.

The seam lies after a third of the written frames. Velocity and rotation steps are the largest change of a major joint's
velocity, or of its turn from frame to frame, within two frames of the seam; ratios are to the source's 99th percentile of
the same. Turn: heading after one cycle minus heading at its start. `turns_needlessly` is 1 when it turns by more than 30°
though the source has a stride that turns by at most 10° and
closes at most 1.5 times as badly as its best one. Period: autocorrelation of the source (`clips.period_s`).
"""
import numpy as np

from .. import clips
from ..tool import Case, Measure

TITLE = "Loops"
STRAIGHT_DEG, NEEDLESS_DEG = 10.0, 30.0
MEASURES = {
    "position_step_ratio": Measure("ratio to source p99", 0.1),
    "velocity_step_mm_s": Measure("mm/s", 20.0),
    "velocity_step_ratio": Measure("ratio to source p99", 0.2),
    "rotation_step_deg": Measure("°", 0.2),
    "rotation_step_ratio": Measure("ratio to source p99", 0.2),
    "slide_mm": Measure("mm", 2.0),
    "turn_deg": Measure("°", 2.0),
    "turns_needlessly": Measure("0 or 1", 0.5),
    "cycle_s": Measure("s", better=None),
    "cycle_periods": Measure("periods", better=None),
    "period_error": Measure("|cycle / period − 1|", 0.1),
    "knee_pop": Measure("ratio to source", 0.2),
    "hips_seam_m_s2": Measure("m/s²", 1.0),
}


def cases(context):
    kinds = ("walk", "run", "hop")
    mine = [g for g in context.gaits(context.captured) if g["kind"] in kinds]
    archive = [g for g in context.gaits(context.archived) if g["kind"] in kinds]
    return [Case(f"{g['kind']} {clips.clip_name(g['path'])}", (g["path"], g["period_s"], g.get("straightest_deg")), (g["path"],)) for g in mine + archive]


def around(values, frame):
    """Largest value within two frames of a frame; entry i belongs to frame i + 1."""
    return float(values[max(0, frame - 3) : frame + 2].max())


def measure(case, tool):
    path, period, straightest = case.args
    body = clips.source(path)
    report, _ = tool.run("loop", path, tool.out("out.bvh"), "--cycles", 3)
    out = clips.result(tool.out("out.bvh"), body)
    cycle = report.get("frames") if report.get("frames", 0) * 3 == len(out) else len(out) // 3
    seam = cycle
    usual = lambda values: max(float(np.quantile(values, 0.99)), 1e-6)
    step = lambda b: np.linalg.norm(np.diff(b.motion.positions[:, b.major], axis=0), axis=-1).max(1)
    turn = abs(np.degrees(out.heading[min(cycle, len(out) - 1)] - out.heading[0]))
    window = out.steps(0.3)
    slides = out.slides_mm(out.flat_stances)
    return {
        "position_step_ratio": float(step(out)[seam - 1]) / usual(step(body)),
        "velocity_step_mm_s": around(out.velocity_step, seam),
        "velocity_step_ratio": around(out.velocity_step, seam) / usual(body.velocity_step),
        "rotation_step_deg": around(out.rotation_step, seam),
        "rotation_step_ratio": around(out.rotation_step, seam) / usual(body.rotation_step),
        "slide_mm": float(np.median(slides)) if len(slides) else None,
        "turn_deg": float(turn),
        "turns_needlessly": float(turn > NEEDLESS_DEG and straightest is not None and straightest <= STRAIGHT_DEG),
        "cycle_s": cycle / out.fps,
        "cycle_periods": cycle / out.fps / period if period else None,
        "period_error": abs(cycle / out.fps / period - 1) if period else None,
        "knee_pop": out.knee_pop(body),
        "hips_seam_m_s2": float(out.hips_acceleration[max(0, seam - window) : seam + window].max()),
    }


def summary(rows):
    out = {}
    for kind in ("walk", "run", "hop"):
        own = [row["values"] for row in rows if row["case"].startswith(kind) and row["values"]]
        if own:
            out[f"{kind}s that turn needlessly"] = f"{sum(v['turns_needlessly'] > 0 for v in own)} of {len(own)}"
            out[f"{kind}s: cycle is not one period (over 15 % off)"] = f"{sum(v.get('period_error', 0) > 0.15 for v in own)} of {len(own)}"
    return out
