"""`splice` of random pairs across subjects and of chains of eight walks and runs.

A seam's window is SEAM_WINDOW_S on each side of the frame that the report names. Hips: largest acceleration in the windows; the limit
is 8 m/s² or 1.5 times the larger 99th percentile of the sources, whichever is more. Slide: flat feet (judged by height alone)
whose stance touches a window. Slide added: the same without what the toe slides in the sources' same frames. Floor step: median stance height of the toes within FLOOR_WINDOW_S before and after a seam,
only between clips whose own floor is level. Joint speed: largest in the windows against the sources' larger 99th percentile.
Inserted: written seconds that are in no source. Trimmed: most seconds left out on one side of a seam.
"""
import random

import numpy as np

from .. import clips
from ..body import slide_m
from ..tool import Case, Measure

TITLE = "Splices"
CHAINS, CHAIN_LENGTH = 20, 8
SEAM_WINDOW_S, FLOOR_WINDOW_S = 0.5, 1.5
HIPS_LIMIT_M_S2, HIPS_LIMIT_RATIO = 8.0, 1.5
LEVEL_M = 0.06  # clips whose stances differ less stand on a level floor
STAIRS_M = 0.15  # walks and runs whose stances differ less go into chains: a tilted floor is no stairs
FLOOR_STEP_MM = 20.0
MEASURES = {
    "hips_seam_m_s2": Measure("m/s²", 1.0),
    "hips_limit_ratio": Measure("ratio to limit", 0.1),
    "over_limit": Measure("0 or 1", 0.5),
    "over_unwarned": Measure("0 or 1", 0.5),
    "slide_mm": Measure("mm", 2.0),
    "slide_added_mm": Measure("mm", 5.0),
    "floor_step_mm": Measure("mm", 5.0),
    "floor_steps_over_2cm": Measure("part of seams", 0.1),
    "floor_drift_mm": Measure("mm", 5.0),
    "joint_speed_ratio": Measure("ratio to sources", 0.2),
    "knee_pop": Measure("ratio to sources", 0.2),
    "inserted_s": Measure("s", better=None),
    "trimmed_s": Measure("s", better=None),
    "warned": Measure("0 or 1", better=None),
}


def cases(context):
    gaits = [g for g in context.gaits(context.captured) + context.gaits(context.archived) if g["kind"] not in ("short", "long", "broken")]
    rng, out = random.Random(20), []
    while len(out) < context.pairs and len({clips.subject_group(clips.subject_of(g["path"])) for g in gaits}) > 1:
        pair = rng.sample(gaits, 2)
        if len({clips.subject_group(clips.subject_of(g["path"])) for g in pair}) == 2:
            out.append(splice_case("pair", pair))
    movers = [{**g, "level_m": 0.0} for g in gaits if g["kind"] in ("walk", "run") and g["level_m"] < STAIRS_M]
    if len(movers) >= CHAIN_LENGTH:
        out += [splice_case(f"chain {i + 1}", rng.sample(movers, CHAIN_LENGTH)) for i in range(CHAINS)]
    return out


def splice_case(label, gaits):
    paths = tuple(g["path"] for g in gaits)
    return Case(f"{label} " + "+".join(clips.clip_name(path) for path in paths), (paths, tuple(g["level_m"] < LEVEL_M for g in gaits)), paths)


def has_warning(report, stderr):
    """Whether the text or a field of the report warns about the seam."""
    if isinstance(report, dict):
        return any(("warn" in key.lower() and bool(value)) or has_warning(value, "") for key, value in report.items()) or "warn" in stderr.lower()
    if isinstance(report, list):
        return any(has_warning(value, "") for value in report)
    return False


def measure(case, tool):
    paths, level = case.args
    bodies = [clips.source(path) for path in paths]
    report, stderr = tool.run("splice", *paths, "-o", tool.out("out.bvh"))
    out = clips.result(tool.out("out.bvh"), bodies[0])
    seams = [seam["frame"] for seam in report["seams"]]
    window = out.steps(SEAM_WINDOW_S)
    near = np.zeros(len(out), bool)
    for seam in seams:
        near[max(0, seam - window) : seam + window] = True
    hips = float(out.hips_acceleration[near].max())
    limit = max(HIPS_LIMIT_M_S2, HIPS_LIMIT_RATIO * max(body.hips_p99() for body in bodies))
    stances = [s for s in out.flat_stances if near[s.start : s.end].any()]
    slides = out.slides_mm(stances)
    added = [slide - source_slide_mm(s, out, report["clips"], bodies) for s, slide in zip(stances, slides)]
    steps, floors = floor_steps(out, seams, level)
    speed = max(float(np.quantile(body.joint_speed, 0.99)) for body in bodies)
    warned = has_warning(report, stderr)
    trims = [clip["trimmed_s"] for clip in report["clips"]]
    inner = [trims[i][1] for i in range(len(trims) - 1)] + [trims[i][0] for i in range(1, len(trims))]
    kept = sum(len(body) / body.fps for body in bodies) - sum(map(sum, trims))
    return {
        "hips_seam_m_s2": hips,
        "hips_limit_ratio": hips / limit,
        "over_limit": float(hips > limit),
        "over_unwarned": float(hips > limit and not warned),
        "slide_mm": float(slides.max()) if len(slides) else None,
        "slide_added_mm": max(0.0, *added) if added else None,
        "floor_step_mm": max(steps) if steps else None,
        "floor_steps_over_2cm": float(np.mean([step > FLOOR_STEP_MM for step in steps])) if steps else None,
        "floor_drift_mm": 1e3 * (max(floors) - min(floors)) if len(floors) > 2 else None,
        "joint_speed_ratio": float(out.joint_speed[near[1:]].max()) / max(speed, 1.0),
        "knee_pop": out.knee_pop(*bodies),
        "inserted_s": max(0.0, len(out) / out.fps - kept),
        "trimmed_s": max(inner),
        "warned": float(warned),
    }


def source_slide_mm(stance, out, parts, bodies):
    """How far the foot of a stance slides in the sources' frames of which it was made, all of them together."""
    total, sources = 0.0, iter(bodies)
    for part in parts:
        if part.get("inserted"):
            continue
        body = next(sources)
        start, end = max(stance.start, part["start"]), min(stance.end, part["start"] + part["frames"])
        first = part["trimmed_s"][0] * body.fps
        frames = [round(first + (frame - part["start"]) * body.fps / out.fps) for frame in (start, end)]
        if end - start > 1 and frames[1] - frames[0] > 1:
            joint = body.roles.get(f"{stance.side} toe", body.roles[f"{stance.side} foot"])
            total += 1e3 * slide_m(body.motion.positions[frames[0] : frames[1], joint])
    return total


def floor_steps(out, seams, level):
    """Height steps at the seams between level clips, mm, and the floors of all level parts, metres."""
    span = out.steps(FLOOR_WINDOW_S)
    edges = [0, *seams, len(out)]
    steps, floors = [], []
    for i, is_level in enumerate(level):
        floor = out.floor_m(edges[i], edges[i + 1])
        if is_level and floor is not None:
            floors.append(floor)
        if i and is_level and level[i - 1]:
            before = out.floor_m(max(edges[i - 1], edges[i] - span), edges[i])
            after = out.floor_m(edges[i], min(edges[i + 1], edges[i] + span))
            if before is not None and after is not None:
                steps.append(1e3 * abs(after - before))
    return steps, floors


def summary(rows):
    pairs = [row["values"] for row in rows if row["case"].startswith("pair") and row["values"]]
    chains = [row["values"] for row in rows if row["case"].startswith("chain") and row["values"]]
    steps = [values["floor_steps_over_2cm"] for values in chains if "floor_steps_over_2cm" in values]
    count = lambda test, of: f"{sum(map(test, of))} of {len(of)}"
    return {
        "pairs with hips over the limit": count(lambda v: v["over_limit"] > 0, pairs),
        "of these without warning": count(lambda v: v["over_unwarned"] > 0, [v for v in pairs if v["over_limit"] > 0]),
        "pairs with more than 1.5 s inserted": count(lambda v: v["inserted_s"] > 1.5, pairs),
        "chains with a floor step over 2 cm": count(lambda step: step > 0, steps),
        "chains' seams with a floor step over 2 cm": f"{100 * np.mean(steps):.0f} %" if steps else "–",
        "floor drift of the chains, mm": ", ".join(f"{v['floor_drift_mm']:.0f}" for v in chains if "floor_drift_mm" in v),
    }
