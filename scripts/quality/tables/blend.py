"""`blend` of pairs and triples of walks, runs and gestures of the same rate.

Slide: flat feet, judged by height alone, next to the sources' own. Joint speed: 99.9th percentile against the sources' largest.
Jump: largest change of a major joint's velocity between successive frames against the sources' largest.
"""
import random

import numpy as np

from .. import clips
from ..tool import Case, Measure

TITLE = "Blends"
PAIRS, TRIPLES = 24, 12  # of each rate and kind
MEASURES = {
    "source_slide_mm": Measure("mm", better=None),
    "slide_mm": Measure("mm", 1.0),
    "slide_worst_mm": Measure("mm", 5.0),
    "skate_mm_s": Measure("mm/s", 5.0),
    "joint_speed_ratio": Measure("ratio to sources", 0.1),
    "jump_ratio": Measure("ratio to sources", 0.2),
    "knee_pop": Measure("ratio to sources", 0.2),
    "hips_p99_ratio": Measure("ratio to sources", 0.1),
}


def cases(context):
    rng, out = random.Random(21), []
    for files in (context.captured, context.archived):
        gaits = context.gaits(files)
        pools = {"walk": [g["path"] for g in gaits if g["kind"] == "walk"], "still": [g["path"] for g in gaits if g["kind"] == "still"]}
        pools["walk or run"] = [g["path"] for g in gaits if g["kind"] in ("walk", "run")]
        for kind, pool in pools.items():
            for size, count in ((2, PAIRS // 3 if kind == "still" else PAIRS // 2), (3, TRIPLES // 3)):
                for _ in range(count if len(pool) >= size else 0):
                    paths = tuple(rng.sample(pool, size))
                    out.append(Case(f"{kind} " + "+".join(clips.clip_name(path) for path in paths), (paths,), paths))
    return out


def measure(case, tool):
    (paths,) = case.args
    bodies = [clips.source(path) for path in paths]
    tool.run("blend", *paths, "-o", tool.out("out.bvh"))
    out = clips.result(tool.out("out.bvh"), bodies[0])
    own = np.concatenate([body.slides_mm(body.flat_stances) for body in bodies])
    slides = out.slides_mm(out.flat_stances)
    largest = lambda values: max(float(np.quantile(values(body), 0.999)) for body in bodies)
    return {
        "source_slide_mm": float(np.median(own)) if len(own) else None,
        "slide_mm": float(np.median(slides)) if len(slides) else None,
        "slide_worst_mm": float(slides.max()) if len(slides) else None,
        "skate_mm_s": out.skate_mm_s(out.flat_stances),
        "joint_speed_ratio": float(np.quantile(out.joint_speed, 0.999)) / largest(lambda body: body.joint_speed),
        "jump_ratio": float(out.velocity_step.max()) / max(float(body.velocity_step.max()) for body in bodies),
        "knee_pop": out.knee_pop(*bodies),
        "hips_p99_ratio": out.hips_p99() / max(1.0, *(body.hips_p99() for body in bodies)),
    }
