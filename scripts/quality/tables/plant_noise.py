"""`plant` on clean walks with added noise, as video and inertial suits have it.

Clean: a captured walk planted by the REFERENCE binary; its true stances are the frames in which an ankle or toe moves
slower than TRUE_SPEED_M_S. Noise: white noise smoothed by a Gaussian of NOISE_SIGMA_S, scaled to a standard deviation
of 2 cm for each axis of the root, or of 3° for each axis of the rotations of thigh, shin and foot. Seeds are fixed.
`contact_recall` and `contact_precision` are of the labels that `convert` writes into NPZ for the noisy file, `held_recall`
and `held_precision` of the feet that really stand still in the planted result. A foot stands if heel or toe does. Recall is over
the frames in which a foot of the clean walk truly stands; precision accepts every frame in which it is on the ground by speed and height
(`Body.stances`, widened by MARGIN_S at each end). `drift` cases: a body that stands, moved by 5 cm/s along X; slide is the whole drift that is left.
"""
from dataclasses import replace

import numpy as np

from .. import bvh, clips
from ..body import Body, SIDES, STANCE_TRIM_S, Stance, intervals, slide_m
from ..tool import Case, Measure

TITLE = "Planting noisy walks"
# Constants were chosen on those for tuning; none of those for the report was used for that.
WALKS = {
    "tune": ("35_05", "35_32", "35_10", "16_15", "16_21", "16_11", "69_24", "02_01"),
    "report": ("08_02", "16_13", "16_17", "16_19", "16_27", "35_34", "36_01", "69_53", "83_28"),
}
STANDS = ("77_02", "104_15")
TRUE_SPEED_M_S = 0.02
# Makes the slide before planting 36 mm (root) and 82 mm (legs) in the median, as reported for video and suits; 0.15 s makes it 24 and 57, 0.07 s 45 and 114.
NOISE_SIGMA_S = 0.10
MARGIN_S = 0.05
ROOT_NOISE_M, LEG_NOISE_DEG, DRIFT_M_S = 0.02, 3.0, 0.05
MEASURES = {
    "noisy_slide_mm": Measure("mm", better=None),
    "slide_mm": Measure("mm", 1.0),
    "joints_mm": Measure("mm", 2.0),
    "noisy_joints_mm": Measure("mm", better=None),
    "swing_ratio": Measure("ratio to clean", 0.03, "high"),
    "contact_recall": Measure("", 0.03, "high"),
    "contact_precision": Measure("", 0.03, "high"),
    "held_recall": Measure("", 0.03, "high"),
    "held_precision": Measure("", 0.03, "high"),
    "knee_pop": Measure("ratio to clean and noisy", 0.2),
}


def cases(context):
    out = []
    for path in clips.capture_clips(context.captures, "locomotion"):
        name = clips.clip_name(path)
        if name in WALKS[context.half]:
            out += [Case(f"{name} {noise} {fps}", (path, noise, fps), (path,)) for noise in ("clean", "root", "legs") for fps in (30, 120)]
    for path in clips.capture_clips(context.captures, "physics"):
        name = clips.clip_name(path)
        if name in STANDS:
            out += [Case(f"{name} drift {fps}", (path, "drift", fps), (path,)) for fps in (30, 120)]
    return out


def smooth_noise(rng, shape, fps):
    """Noise with unit standard deviation along the first axis."""
    half = round(4 * NOISE_SIGMA_S * fps)
    kernel = np.exp(-0.5 * (np.arange(-half, half + 1) / (NOISE_SIGMA_S * fps)) ** 2)
    white = rng.standard_normal((shape[0] + 2 * half, int(np.prod(shape[1:]))))
    smooth = np.stack([np.convolve(column, kernel, mode="valid") for column in white.T], -1)
    return (smooth / np.sqrt((kernel**2).sum())).reshape(shape)


def add_noise(motion, roles, kind, seed):
    """A CMU motion (file units) with noise on the root or the legs, or drifting."""
    rng = np.random.default_rng(seed)
    root, rotations = motion.root.copy(), motion.rotations.copy()
    # Drawn at 120 Hz and decimated, so that both rates get the same noise.
    step = round(120 / motion.fps)
    draw = lambda width: smooth_noise(rng, (len(motion) * step, width), 120.0)[::step]
    if kind == "root":
        root += draw(3) * ROOT_NOISE_M / bvh.CMU_UNIT_M
    elif kind == "legs":
        for side in SIDES:
            for role in ("thigh", "shin", "foot"):
                joint = roles[f"{side} {role}"]
                rotations[:, joint] = rotations[:, joint] @ bvh.rotation_vector_matrix(draw(3) * np.radians(LEG_NOISE_DEG))
    elif kind == "drift":
        root[:, 0] += DRIFT_M_S / bvh.CMU_UNIT_M * np.arange(len(motion)) / motion.fps
    return bvh.Motion(motion.names, motion.parents, motion.offsets, motion.tips, rotations, root, motion.fps).posed()


def true_stances(body):
    """Intervals in which an ankle or toe really stands still, at least 0.1 s."""
    found = []
    for side, part, joint in body.foot_points:
        still = body.speed(joint) < TRUE_SPEED_M_S
        found += [Stance(side, part, joint, a, b) for a, b in intervals(still) if b - a >= body.steps(0.1)]
    return found


def foot_mask(stances, frames):
    mask = np.zeros((frames, 2), bool)
    for stance in stances:
        mask[stance.start : stance.end, SIDES.index(stance.side)] = True
    return mask


def ground_mask(body):
    """Frames in which a foot is on the ground or about to be."""
    margin = body.steps(MARGIN_S) + body.steps(STANCE_TRIM_S)
    widened = [replace(s, start=max(0, s.start - margin), end=s.end + margin) for s in body.stances + true_stances(body)]
    return foot_mask(widened, len(body))


def recall_precision(found, true, ground):
    return (found & true).sum() / max(true.sum(), 1), (found & ground).sum() / max(found.sum(), 1)


def clean_motion(path, fps, tool):
    """The walk planted by the reference, without T-pose, in file units."""
    reference = tool.reference
    folder = f"noise/{reference.hash}"
    made = tool.make(f"{folder}/{clips.clip_name(path)}.bvh", lambda into: reference.run("plant", path, into))
    motion = bvh.read(made)
    if np.linalg.norm(bvh.CMU_UNIT_M * clips.relative(motion.positions[0]) - clips.source(path).tpose, axis=-1).max() < clips.TPOSE_NEAR_M:
        motion = motion.part(1)
    step = round(motion.fps / fps)
    cut = slice(None, None, step)
    return bvh.Motion(motion.names, motion.parents, motion.offsets, motion.tips, motion.rotations[cut], motion.root[cut], float(fps)).posed()


def measure(case, tool):
    path, kind, fps = case.args
    motion = clean_motion(path, fps, tool)
    clean = Body(motion.scaled(bvh.CMU_UNIT_M))
    noisy_motion = add_noise(motion, clean.roles, kind, clips.subject_of(path))
    noisy_path = tool.make(f"noise/{tool.reference.hash}/{case.name.replace(' ', '-')}.bvh", lambda into: bvh.write(into, noisy_motion))
    noisy = Body(noisy_motion.scaled(bvh.CMU_UNIT_M))
    tool.run("plant", noisy_path, tool.out("out.bvh"))
    out = clips.result(tool.out("out.bvh"), clean)
    if kind == "drift":
        worst = lambda body: max(1e3 * slide_m(body.motion.positions[:, joint]) for _, _, joint in body.foot_points)
        return {"noisy_slide_mm": worst(noisy), "slide_mm": worst(out), "joints_mm": out.distance_mm(clean)[0]}
    stances = true_stances(clean)
    true, ground = foot_mask(stances, len(clean)), ground_mask(clean)
    tool.run("convert", noisy_path, tool.out("noisy.npz"))
    labels = np.load(tool.out("noisy.npz"))["contacts"][-len(clean) :]
    labels = np.stack([labels[:, :2].any(1), labels[:, 2:].any(1)], -1)
    contact_recall, contact_precision = recall_precision(labels, true, ground)
    held_recall, held_precision = recall_precision(foot_mask(true_stances(out), len(clean)), true, ground)
    swing, clean_swing = out.swing_heights_m(stances), clean.swing_heights_m(stances)
    real = clean_swing > 0.03
    return {
        "noisy_slide_mm": float(np.median(noisy.slides_mm(stances))),
        "slide_mm": float(np.median(out.slides_mm(stances))),
        "noisy_joints_mm": noisy.distance_mm(clean)[0],
        "joints_mm": out.distance_mm(clean)[0],
        "swing_ratio": float(np.median(swing[real] / clean_swing[real])) if real.any() else None,
        "contact_recall": float(contact_recall),
        "contact_precision": float(contact_precision),
        "held_recall": float(held_recall),
        "held_precision": float(held_precision),
        "knee_pop": out.knee_pop(clean, noisy),
    }


def summary(rows):
    """Medians for each kind of noise and rate."""
    out = {}
    for kind in ("clean", "root", "legs", "drift"):
        for fps in (30, 120):
            own = [row["values"] for row in rows if row["case"].endswith(f"{kind} {fps}") and row["values"]]
            middle = lambda name: f"{np.median([v[name] for v in own if name in v]):.2f}"
            if own:
                text = f"slide {middle('noisy_slide_mm')} to {middle('slide_mm')} mm, joints {middle('joints_mm')} mm"
                if kind != "drift":
                    text += f", swing {middle('swing_ratio')}, recall {middle('contact_recall')}, precision {middle('contact_precision')}, knees {middle('knee_pop')}"
                out[f"{kind}, {fps} fps"] = text
    return out
