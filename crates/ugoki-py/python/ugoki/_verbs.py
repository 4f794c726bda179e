# Generated from the verbs of crates/ugoki-verbs; do not edit.
# UGOKI_WRITE=1 cargo test -p ugoki-verbs --test it python
"""Every verb as a function."""

from ugoki._call import Verb, run

_INFO = Verb(["info"], {"tpose": "auto"}, {}, {}, None)
_CHECK = Verb(["check"], {"strict": False, "tpose": "auto"}, {"files": True}, {}, None)
_CONVERT = Verb(["convert"], {"scale": "1", "mirror": False, "reverse": False, "root_motion": "keep", "feet": "all", "tpose": "auto"}, {"inputs": True}, {}, "<new>/out.clip")
_PLANT = Verb(["plant"], {"contacts": "file", "tpose": "auto"}, {}, {}, "<new>/out.clip")
_COMPARE = Verb(["compare"], {"strict": False, "tpose": "auto"}, {}, {}, None)
_RENDER = Verb(["render"], {"view": "three-quarter", "tpose": "auto"}, {}, {}, "<bytes>/out.png")
_FILTER = Verb(["filter"], {"auto": False, "method": "path", "edge": "reflect", "feet": "all", "despike": False, "tpose": "auto"}, {}, {}, "<new>/out.clip")
_EQUALIZE = Verb(["equalize"], {"feet": "all", "tpose": "auto"}, {"gains": True}, {}, "<new>/out.clip")
_BLEND = Verb(["blend"], {"align": "time", "feet": "all", "strict": False, "tpose": "auto"}, {"inputs": True}, {}, "<new>/out.clip")
_LOOP = Verb(["loop"], {"longest": False, "straight": "auto", "cycles": 1, "blend_s": 0.6, "in_place": False, "feet": "all", "tpose": "auto"}, {}, {"blend": "blend_s"}, "<new>/out.clip")
_EDIT = Verb(["edit"], {"distribute": "two-stage", "rebuild": "relax:12", "tpose": "auto"}, {"handles": True}, {"handle": "handles"}, "<new>/out.clip")
_SPLICE = Verb(["splice"], {"blend_s": 0.6, "trim_s": 0.5, "feet": "all", "strict": False, "tpose": "auto"}, {"inputs": True}, {"blend": "blend_s", "max-trim": "trim_s"}, "<new>/out.clip")
_SEGMENT = Verb(["segment"], {"method": "turns", "dip": 0.8, "pause_s": 0.2, "quiet_m_s": 0.12, "rest": 0.2, "duration_s": 0.5, "peak_m_s": 0.3, "merge_s": 0.1, "smooth_s": 0.1, "tpose": "auto"}, {"groups": True}, {"pause": "pause_s", "quiet": "quiet_m_s", "duration": "duration_s", "peak": "peak_m_s", "max": "longest_s", "merge": "merge_s", "smooth": "smooth_s", "group": "groups"}, None)
_PERFORM_LEARN = Verb(["perform", "learn"], {"alone": False, "pair": "lag", "tpose": "auto"}, {"inputs": True}, {}, None)
_PERFORM_RUN = Verb(["perform", "run"], {"buffer_ms": 0, "method": "follow", "unknown": 1, "amount": 1, "lookahead": 0, "mirror": "auto", "tpose": "auto"}, {}, {"buffer": "buffer_ms"}, "<new>/out.clip")
_PERFORM_RECOGNIZE = Verb(["perform", "recognize"], {"method": "follow", "unknown": 1, "amount": 1, "lookahead": 0, "mirror": "auto", "tpose": "auto"}, {}, {}, None)
_PERFORM_EVALUATE = Verb(["perform", "evaluate"], {"method": "follow", "unknown": 1, "amount": 1, "lookahead": 0, "mirror": "auto", "tpose": "auto"}, {}, {}, None)
_STREAM = Verb(["stream"], {"repeat": False, "tpose": "auto"}, {}, {"loop": "repeat"}, None)
_RECORD = Verb(["record"], {"fps": 60, "silence": 5, "buffer_ms": 0}, {}, {"buffer": "buffer_ms"}, "<new>/out.clip")
_REACT = Verb(["react"], {"control": "on", "human_strength": False, "tpose": "auto"}, {"loads": True, "pushes": True}, {"load": "loads", "push": "pushes", "mass": "mass_kg"}, "<new>/out.clip")
_WALK = Verb(["walk"], {"clamp": False, "tpose": "auto"}, {}, {}, "<new>/out.clip")
_NETWORK = Verb(["network"], {"layers": "upper-lower", "most": 50, "interior_s": 0, "whole": False}, {}, {"interior": "interior_s"}, None)
_COMPOSE = Verb(["compose"], {"candidates": 8, "generations": 2000, "population": 200, "method": "genetic", "cut_rule": "figure", "seed": 0, "distance": 0.3, "climb": False, "blend_s": 0.6, "feet": "all", "no_page": False, "layers": "upper-lower", "most": 50, "interior_s": 0, "whole": False}, {"want": True, "avoid": True}, {"valid": "valid_f", "blend": "blend_s", "interior": "interior_s"}, "<new>/out")
_DB_CREATE = Verb(["db", "create"], {}, {}, {}, None)
_DB_ADD = Verb(["db", "add"], {"tpose": "auto"}, {"paths": True, "tags": True}, {"tag": "tags"}, None)
_DB_LIST = Verb(["db", "list"], {"duplicates": False}, {"clips": True, "tags": True}, {"tag": "tags", "length": "seconds"}, None)
_DB_SHOW = Verb(["db", "show"], {}, {"clips": True}, {}, None)
_DB_TAG = Verb(["db", "tag"], {}, {"clips": True, "add": True, "remove": True}, {}, None)
_DB_REMOVE = Verb(["db", "remove"], {"duplicates": False}, {"clips": True, "tags": True}, {"tag": "tags", "length": "seconds"}, None)
_DB_CHECK = Verb(["db", "check"], {"repair": False}, {}, {}, None)
_DB_EXPORT = Verb(["db", "export"], {"source": False, "duplicates": False}, {"clips": True, "tags": True}, {"tag": "tags", "length": "seconds"}, "<new>/out")
_DB_MERGE = Verb(["db", "merge"], {}, {"databases": True}, {}, "<new>/out.clip")
_DB_PULL = Verb(["db", "pull"], {}, {}, {"where": "condition"}, "<new>/out.clip")
_DB_PUSH = Verb(["db", "push"], {}, {}, {}, None)
_DEMO = Verb(["demo"], {"serve": False, "port": 4650, "check": False, "open": False}, {}, {}, None)


def info(file, *, offset=None, source_up=None, source_unit=None, source_fps=None, take=None, asf=None, markers=None, tpose="auto", memory=None, overwrite=False, progress=None):
    """Shows what is in a motion file.

    :param file: Motion file, or - for standard input
    :param offset: Whether position channels replace a joint's offset or add to it (default: replace, unless that would put the whole body into one point)
    :param source_up: Which way is up in the file (default: found from the body)
    :param source_unit: Metres per unit of the file, or m, dm, cm, mm, in, ft, cmu (default: guessed from the body's height)
    :param source_fps: Frames per second of files that do not say it (AMC: 120), or at which curves are sampled (glTF, FBX: the rate of their keys)
    :param take: Which motion of a file with several: its name, or its number from 0 (default: the first)
    :param asf: The ASF file of an AMC (default: the one of its name next to it, up to the underscore), or the rest skeleton of AMASS arrays: the body model's NPZ, or a motion on that skeleton
    :param markers: What the markers of a C3D or TRC file are, as TOML (default: names that are common)
    :param tpose: What to do with an added T-pose in frame 0
    :param memory: Bytes that inputs and the motions made of them may take; None is 8 GiB.
    :param overwrite: Let an output replace a file that is also an input.
    :param progress: A function that is called with the part done, 0 to 1, or a tqdm bar.
    """
    return run(_INFO, locals())


def check(files, *, strict=False, offset=None, source_up=None, source_unit=None, source_fps=None, take=None, asf=None, markers=None, tpose="auto", memory=None, overwrite=False, progress=None):
    """Validates motion files and explains every problem: line, severity and what was assumed

Exit code 1 when a file cannot be used.

    :param files: Motion files, folders or patterns
    :param strict: Exit code 1 also when a file that can be used has a problem of severity error
    :param offset: Whether position channels replace a joint's offset or add to it (default: replace, unless that would put the whole body into one point)
    :param source_up: Which way is up in the file (default: found from the body)
    :param source_unit: Metres per unit of the file, or m, dm, cm, mm, in, ft, cmu (default: guessed from the body's height)
    :param source_fps: Frames per second of files that do not say it (AMC: 120), or at which curves are sampled (glTF, FBX: the rate of their keys)
    :param take: Which motion of a file with several: its name, or its number from 0 (default: the first)
    :param asf: The ASF file of an AMC (default: the one of its name next to it, up to the underscore), or the rest skeleton of AMASS arrays: the body model's NPZ, or a motion on that skeleton
    :param markers: What the markers of a C3D or TRC file are, as TOML (default: names that are common)
    :param tpose: What to do with an added T-pose in frame 0
    :param memory: Bytes that inputs and the motions made of them may take; None is 8 GiB.
    :param overwrite: Let an output replace a file that is also an input.
    :param progress: A function that is called with the part done, 0 to 1, or a tqdm bar.
    """
    return run(_CHECK, locals())


def convert(inputs, *, output=None, to=None, fps=None, scale="1", unit=None, up=None, mirror=False, reverse=False, speed=None, trim=None, root_motion="keep", retarget=None, feet="all", offset=None, source_up=None, source_unit=None, source_fps=None, take=None, asf=None, markers=None, tpose="auto", memory=None, overwrite=False, progress=None):
    """Converts motion files, changing what the options say

`convert IN OUT` writes one file, `convert IN… -o DIR` one file per input. Without options the
numbers of the source are written back unchanged.

    :param inputs: Motion files, folders or patterns; without -o the last one is the file to write
    :param output: File to write, or folder for one file per input: several inputs, a folder, a slash at the end or no ending mean a folder; without it the result is returned: Clip
    :param to: Format of the files: in the folder, or on standard output; bvh, glb, … [default: bvh]
    :param fps: Frames per second of the result
    :param scale: Factor on the source's lengths, or `auto` for true size in unit
    :param unit: Unit for scale auto [default: cm]
    :param up: Which way is up in the result (default: as in the source, or the file retargeted to)
    :param mirror: Swap left and right
    :param reverse: Play backwards
    :param speed: Play this many times as fast, at the same rate
    :param trim: Only this interval: seconds, or frames with an f
    :param root_motion: What becomes of travel over the ground: extract puts it into a ground-level joint `root`, in-place removes it, turning included
    :param retarget: Move the motion onto this file's skeleton, feet that stand held; a file of the same format is written in its unit, axes and channels. A clip of a database is named as moves.ugoki#walk
    :param feet: Which standing feet are held; of a motion that is moved onto another skeleton
    :param offset: Whether position channels replace a joint's offset or add to it (default: replace, unless that would put the whole body into one point)
    :param source_up: Which way is up in the file (default: found from the body)
    :param source_unit: Metres per unit of the file, or m, dm, cm, mm, in, ft, cmu (default: guessed from the body's height)
    :param source_fps: Frames per second of files that do not say it (AMC: 120), or at which curves are sampled (glTF, FBX: the rate of their keys)
    :param take: Which motion of a file with several: its name, or its number from 0 (default: the first)
    :param asf: The ASF file of an AMC (default: the one of its name next to it, up to the underscore), or the rest skeleton of AMASS arrays: the body model's NPZ, or a motion on that skeleton
    :param markers: What the markers of a C3D or TRC file are, as TOML (default: names that are common)
    :param tpose: What to do with an added T-pose in frame 0
    :param memory: Bytes that inputs and the motions made of them may take; None is 8 GiB.
    :param overwrite: Let an output replace a file that is also an input.
    :param progress: A function that is called with the part done, 0 to 1, or a tqdm bar.
    """
    return run(_CONVERT, locals())


def plant(input, *, output=None, contacts="file", offset=None, source_up=None, source_unit=None, source_fps=None, take=None, asf=None, markers=None, tpose="auto", memory=None, overwrite=False, progress=None):
    """Removes foot skate and levels the floor.

    :param input: Motion file or folder, or - for standard input
    :param output: File to write, or - for standard output; a folder when the input is a folder; without it the result is returned: Clip
    :param contacts: Which contacts are held: labels that the file has (NPZ, glTF), or those found in the motion
    :param offset: Whether position channels replace a joint's offset or add to it (default: replace, unless that would put the whole body into one point)
    :param source_up: Which way is up in the file (default: found from the body)
    :param source_unit: Metres per unit of the file, or m, dm, cm, mm, in, ft, cmu (default: guessed from the body's height)
    :param source_fps: Frames per second of files that do not say it (AMC: 120), or at which curves are sampled (glTF, FBX: the rate of their keys)
    :param take: Which motion of a file with several: its name, or its number from 0 (default: the first)
    :param asf: The ASF file of an AMC (default: the one of its name next to it, up to the underscore), or the rest skeleton of AMASS arrays: the body model's NPZ, or a motion on that skeleton
    :param markers: What the markers of a C3D or TRC file are, as TOML (default: names that are common)
    :param tpose: What to do with an added T-pose in frame 0
    :param memory: Bytes that inputs and the motions made of them may take; None is 8 GiB.
    :param overwrite: Let an output replace a file that is also an input.
    :param progress: A function that is called with the part done, 0 to 1, or a tqdm bar.
    """
    return run(_PLANT, locals())


def compare(a, b, *, stats=None, strict=False, offset=None, source_up=None, source_unit=None, source_fps=None, take=None, asf=None, markers=None, tpose="auto", memory=None, overwrite=False, progress=None):
    """Measures how far two motions are apart

B is resampled to A's rate; their common time and common joints are compared.

    :param a: First motion file; its rate is used
    :param b: Second motion file
    :param stats: JSON file {"mean": […], "std": […]}, x y z of each compared joint in the order of `compared.joints`, for LAFAN1's normalised L2P
    :param strict: Refuse motions of another rate or skeleton instead of adapting them
    :param offset: Whether position channels replace a joint's offset or add to it (default: replace, unless that would put the whole body into one point)
    :param source_up: Which way is up in the file (default: found from the body)
    :param source_unit: Metres per unit of the file, or m, dm, cm, mm, in, ft, cmu (default: guessed from the body's height)
    :param source_fps: Frames per second of files that do not say it (AMC: 120), or at which curves are sampled (glTF, FBX: the rate of their keys)
    :param take: Which motion of a file with several: its name, or its number from 0 (default: the first)
    :param asf: The ASF file of an AMC (default: the one of its name next to it, up to the underscore), or the rest skeleton of AMASS arrays: the body model's NPZ, or a motion on that skeleton
    :param markers: What the markers of a C3D or TRC file are, as TOML (default: names that are common)
    :param tpose: What to do with an added T-pose in frame 0
    :param memory: Bytes that inputs and the motions made of them may take; None is 8 GiB.
    :param overwrite: Let an output replace a file that is also an input.
    :param progress: A function that is called with the part done, 0 to 1, or a tqdm bar.
    """
    return run(_COMPARE, locals())


def render(input, *, output=None, to=None, frames=None, size=None, view="three-quarter", forces=None, target=None, trim=None, offset=None, source_up=None, source_unit=None, source_fps=None, take=None, asf=None, markers=None, tpose="auto", memory=None, overwrite=False, progress=None):
    """Draws a motion: contact sheet (.png), vector drawing (.svg) or animation (.gif).

    :param input: Motion file or folder, or - for standard input
    :param output: File to write, or - for standard output; a folder when the input is a folder; without it the result is returned: bytes
    :param to: Format of the files: in the folder, or on standard output [default: png]
    :param frames: How many poses to show
    :param size: Width, or width and height, in pixels
    :param view: From where it is seen
    :param forces: Draw corrections, ZMP and support polygon of a report that `react report` wrote
    :param target: With forces: the motion that was followed, drawn in grey; the report's input when not given
    :param trim: Only this interval: seconds, or frames with an f
    :param offset: Whether position channels replace a joint's offset or add to it (default: replace, unless that would put the whole body into one point)
    :param source_up: Which way is up in the file (default: found from the body)
    :param source_unit: Metres per unit of the file, or m, dm, cm, mm, in, ft, cmu (default: guessed from the body's height)
    :param source_fps: Frames per second of files that do not say it (AMC: 120), or at which curves are sampled (glTF, FBX: the rate of their keys)
    :param take: Which motion of a file with several: its name, or its number from 0 (default: the first)
    :param asf: The ASF file of an AMC (default: the one of its name next to it, up to the underscore), or the rest skeleton of AMASS arrays: the body model's NPZ, or a motion on that skeleton
    :param markers: What the markers of a C3D or TRC file are, as TOML (default: names that are common)
    :param tpose: What to do with an added T-pose in frame 0
    :param memory: Bytes that inputs and the motions made of them may take; None is 8 GiB.
    :param overwrite: Let an output replace a file that is also an input.
    :param progress: A function that is called with the part done, 0 to 1, or a tqdm bar.
    """
    return run(_RENDER, locals())


def filter(input, *, output=None, kernel=None, auto=False, method="path", edge="reflect", feet="all", despike=False, offset=None, source_up=None, source_unit=None, source_fps=None, take=None, asf=None, markers=None, tpose="auto", memory=None, overwrite=False, progress=None):
    """Removes jitter from rotations and paths, without the artefacts of smoothing angles or quaternions

Feet that stand in the source stand still in the result; feet free filters and no more. Markers in a C3D or TRC file stay markers when the output is a TRC file.

    :param input: Motion file or folder, or - for standard input
    :param output: File to write, or - for standard output; a folder when the input is a folder; without it the result is returned: Clip
    :param kernel: box:TAPS, gauss:SIGMA_FRAMES, binomial:TAPS, savgol:TAPS,DEGREE, taps:W,W,W, one-euro:CUTOFF_HZ,BETA (as live; BETA in Hz per rad/s) or one-euro-zero-lag:CUTOFF_HZ,BETA (forward and backward)
    :param auto: Estimate the noise of every joint and choose its kernel
    :param method: How rotations are combined; article is the published algorithm, the raw ones show what goes wrong without care for signs
    :param edge: What happens where the kernel reaches over an end
    :param feet: Which standing feet are held
    :param despike: First remove glitches of up to a tenth of a second, and say which
    :param offset: Whether position channels replace a joint's offset or add to it (default: replace, unless that would put the whole body into one point)
    :param source_up: Which way is up in the file (default: found from the body)
    :param source_unit: Metres per unit of the file, or m, dm, cm, mm, in, ft, cmu (default: guessed from the body's height)
    :param source_fps: Frames per second of files that do not say it (AMC: 120), or at which curves are sampled (glTF, FBX: the rate of their keys)
    :param take: Which motion of a file with several: its name, or its number from 0 (default: the first)
    :param asf: The ASF file of an AMC (default: the one of its name next to it, up to the underscore), or the rest skeleton of AMASS arrays: the body model's NPZ, or a motion on that skeleton
    :param markers: What the markers of a C3D or TRC file are, as TOML (default: names that are common)
    :param tpose: What to do with an added T-pose in frame 0
    :param memory: Bytes that inputs and the motions made of them may take; None is 8 GiB.
    :param overwrite: Let an output replace a file that is also an input.
    :param progress: A function that is called with the part done, 0 to 1, or a tqdm bar.
    """
    return run(_FILTER, locals())


def equalize(input, *, gains, output=None, part=None, feet="all", offset=None, source_up=None, source_unit=None, source_fps=None, take=None, asf=None, markers=None, tpose="auto", memory=None, overwrite=False, progress=None):
    """Scales the frequency bands of a motion, like a graphic equalizer

Where the legs change, the body travels as far as its steps then carry it, and standing feet stay. The first and the
last pose are those of the source.

    :param input: Motion file or folder, or - for standard input
    :param gains: One gain per band, lowest frequency first; bands without one keep gain 1
    :param output: File to write, or - for standard output; a folder when the input is a folder; without it the result is returned: Clip
    :param part: Only this part of the body
    :param feet: Which standing feet are held
    :param offset: Whether position channels replace a joint's offset or add to it (default: replace, unless that would put the whole body into one point)
    :param source_up: Which way is up in the file (default: found from the body)
    :param source_unit: Metres per unit of the file, or m, dm, cm, mm, in, ft, cmu (default: guessed from the body's height)
    :param source_fps: Frames per second of files that do not say it (AMC: 120), or at which curves are sampled (glTF, FBX: the rate of their keys)
    :param take: Which motion of a file with several: its name, or its number from 0 (default: the first)
    :param asf: The ASF file of an AMC (default: the one of its name next to it, up to the underscore), or the rest skeleton of AMASS arrays: the body model's NPZ, or a motion on that skeleton
    :param markers: What the markers of a C3D or TRC file are, as TOML (default: names that are common)
    :param tpose: What to do with an added T-pose in frame 0
    :param memory: Bytes that inputs and the motions made of them may take; None is 8 GiB.
    :param overwrite: Let an output replace a file that is also an input.
    :param progress: A function that is called with the part done, 0 to 1, or a tqdm bar.
    """
    return run(_EQUALIZE, locals())


def blend(inputs, *, output=None, weights=None, align="time", feet="all", strict=False, offset=None, source_up=None, source_unit=None, source_fps=None, take=None, asf=None, markers=None, tpose="auto", memory=None, overwrite=False, progress=None):
    """Mixes any number of motions into one

Motions on another skeleton are moved onto the first one's. All are aligned in time and on the ground first; what has no
counterpart at their ends is left out, and feet that all of them plant stay where they are.

    :param inputs: Motion files; skeleton and rate are the first one's
    :param output: File to write, or - for standard output; without it the result is returned: Clip
    :param weights: One weight per motion, or keys TIME:WEIGHT/TIME:WEIGHT in seconds, or frames with an f [default: equal]
    :param align: Match moments, places and planted feet first, or mix frame by frame as they are, up to the end of the shortest
    :param feet: Which standing feet are held
    :param strict: Refuse motions of another rate or skeleton instead of adapting them
    :param offset: Whether position channels replace a joint's offset or add to it (default: replace, unless that would put the whole body into one point)
    :param source_up: Which way is up in the file (default: found from the body)
    :param source_unit: Metres per unit of the file, or m, dm, cm, mm, in, ft, cmu (default: guessed from the body's height)
    :param source_fps: Frames per second of files that do not say it (AMC: 120), or at which curves are sampled (glTF, FBX: the rate of their keys)
    :param take: Which motion of a file with several: its name, or its number from 0 (default: the first)
    :param asf: The ASF file of an AMC (default: the one of its name next to it, up to the underscore), or the rest skeleton of AMASS arrays: the body model's NPZ, or a motion on that skeleton
    :param markers: What the markers of a C3D or TRC file are, as TOML (default: names that are common)
    :param tpose: What to do with an added T-pose in frame 0
    :param memory: Bytes that inputs and the motions made of them may take; None is 8 GiB.
    :param overwrite: Let an output replace a file that is also an input.
    :param progress: A function that is called with the part done, 0 to 1, or a tqdm bar.
    """
    return run(_BLEND, locals())


def loop(input, *, output=None, range=None, longest=False, straight="auto", cycles=1, blend_s=0.6, in_place=False, feet="all", offset=None, source_up=None, source_unit=None, source_fps=None, take=None, asf=None, markers=None, tpose="auto", memory=None, overwrite=False, progress=None):
    """Finds the best cycle of a motion and closes it without a seam

Of a walk or run that is one stride, straight where one is; of hops one hop; of other motions the longest interval that comes back to how it began. A walk that
is repeated walks on. Ends with 1 when nothing in the motion comes back.

    :param input: Motion file or folder, or - for standard input
    :param output: File to write, or - for standard output; a folder when the input is a folder; without it the result is returned: Clip
    :param range: The cycle: its first moment, and the one that should look like it
    :param longest: The cycle that covers most of the motion, also of a walk
    :param straight: Whether a stride must go straight, turning by at most 10°: auto takes a straight one if its seam is at most 1.5 times the best
    :param cycles: How many repeats to write
    :param blend_s: How long each seam is spread: half at the end of the cycle, half at its start
    :param in_place: Take the travel out, as on a treadmill
    :param feet: Which standing feet are held
    :param offset: Whether position channels replace a joint's offset or add to it (default: replace, unless that would put the whole body into one point)
    :param source_up: Which way is up in the file (default: found from the body)
    :param source_unit: Metres per unit of the file, or m, dm, cm, mm, in, ft, cmu (default: guessed from the body's height)
    :param source_fps: Frames per second of files that do not say it (AMC: 120), or at which curves are sampled (glTF, FBX: the rate of their keys)
    :param take: Which motion of a file with several: its name, or its number from 0 (default: the first)
    :param asf: The ASF file of an AMC (default: the one of its name next to it, up to the underscore), or the rest skeleton of AMASS arrays: the body model's NPZ, or a motion on that skeleton
    :param markers: What the markers of a C3D or TRC file are, as TOML (default: names that are common)
    :param tpose: What to do with an added T-pose in frame 0
    :param memory: Bytes that inputs and the motions made of them may take; None is 8 GiB.
    :param overwrite: Let an output replace a file that is also an input.
    :param progress: A function that is called with the part done, 0 to 1, or a tqdm bar.
    """
    return run(_LOOP, locals())


def edit(input, *, handles, output=None, segment=None, distribute="two-stage", rebuild="relax:12", plot=None, offset=None, source_up=None, source_unit=None, source_fps=None, take=None, asf=None, markers=None, tpose="auto", memory=None, overwrite=False, progress=None):
    """Bends a segment so that hands, feet or other joints end where, and if asked how fast, they must

The start of the segment and everything before it stay. After it, joints return to their captured paths. Feet that are not
handles stay where they were captured.

    :param input: Motion file or folder, or - for standard input
    :param handles: Where a joint must be at the segment's end, or at a time inside it; may be repeated
    :param output: File to write, or - for standard output; a folder when the input is a folder; without it the result is returned: Clip
    :param segment: The segment; the whole motion when not given
    :param distribute: How the displacement is distributed over the segment: i/n; by speed, without the velocity; position and velocity at once; or the position first, then the velocity
    :param rebuild: How the body is rebuilt around its handles: particle relaxation with so many sweeps, or closed form
    :param plot: Draw a plot: paths of each handle by the four distributions
    :param offset: Whether position channels replace a joint's offset or add to it (default: replace, unless that would put the whole body into one point)
    :param source_up: Which way is up in the file (default: found from the body)
    :param source_unit: Metres per unit of the file, or m, dm, cm, mm, in, ft, cmu (default: guessed from the body's height)
    :param source_fps: Frames per second of files that do not say it (AMC: 120), or at which curves are sampled (glTF, FBX: the rate of their keys)
    :param take: Which motion of a file with several: its name, or its number from 0 (default: the first)
    :param asf: The ASF file of an AMC (default: the one of its name next to it, up to the underscore), or the rest skeleton of AMASS arrays: the body model's NPZ, or a motion on that skeleton
    :param markers: What the markers of a C3D or TRC file are, as TOML (default: names that are common)
    :param tpose: What to do with an added T-pose in frame 0
    :param memory: Bytes that inputs and the motions made of them may take; None is 8 GiB.
    :param overwrite: Let an output replace a file that is also an input.
    :param progress: A function that is called with the part done, 0 to 1, or a tqdm bar.
    """
    return run(_EDIT, locals())


def splice(inputs, *, output=None, blend_s=0.6, trim_s=0.5, from_=None, feet="all", strict=False, offset=None, source_up=None, source_unit=None, source_fps=None, take=None, asf=None, markers=None, tpose="auto", memory=None, overwrite=False, progress=None):
    """Joins motions end to start into one

Each motion is turned and shifted over the ground to go on where the one before ends. The frames on both sides of a
seam are bent to meet in place and velocity, and feet that stand stay where they are. Motions on another skeleton
are moved onto the first one's.

    :param inputs: Motion files in order; skeleton and rate are the first one's
    :param output: File to write, or - for standard output; without it the result is returned: Clip
    :param blend_s: How long each seam is spread: half before it, half after
    :param trim_s: Most that may be left out on each side of a seam, where the motions meet better there; 0 joins the last frame to the first
    :param from_: Database with captured steps, starts and stops; where no cut lets the hips follow, at most 1.5 s of one of its motions is inserted
    :param feet: Which standing feet are held
    :param strict: Refuse motions of another rate or skeleton instead of adapting them
    :param offset: Whether position channels replace a joint's offset or add to it (default: replace, unless that would put the whole body into one point)
    :param source_up: Which way is up in the file (default: found from the body)
    :param source_unit: Metres per unit of the file, or m, dm, cm, mm, in, ft, cmu (default: guessed from the body's height)
    :param source_fps: Frames per second of files that do not say it (AMC: 120), or at which curves are sampled (glTF, FBX: the rate of their keys)
    :param take: Which motion of a file with several: its name, or its number from 0 (default: the first)
    :param asf: The ASF file of an AMC (default: the one of its name next to it, up to the underscore), or the rest skeleton of AMASS arrays: the body model's NPZ, or a motion on that skeleton
    :param markers: What the markers of a C3D or TRC file are, as TOML (default: names that are common)
    :param tpose: What to do with an added T-pose in frame 0
    :param memory: Bytes that inputs and the motions made of them may take; None is 8 GiB.
    :param overwrite: Let an output replace a file that is also an input.
    :param progress: A function that is called with the part done, 0 to 1, or a tqdm bar.
    """
    return run(_SPLICE, locals())


def segment(input, *, output=None, plot=None, method="turns", dip=0.8, pause_s=0.2, quiet_m_s=0.12, rest=0.2, duration_s=0.5, peak_m_s=0.3, longest_s=None, merge_s=0.1, smooth_s=0.1, groups=None, offset=None, source_up=None, source_unit=None, source_fps=None, take=None, asf=None, markers=None, tpose="auto", memory=None, overwrite=False, progress=None):
    """Cuts a long take into rests and simple movements

Exit code 1 when nothing moves.

    :param input: Motion file or folder, or - for standard input
    :param output: Folder to write one clip per piece into; made if missing
    :param plot: Draw a plot: speeds, bells and cuts
    :param method: How to cut: rests and turns, or the bells of speed of the paper
    :param dip: Movements are cut where the speed falls to this ratio of its peaks before and after
    :param pause_s: Shorter stillness is no rest, seconds
    :param quiet_m_s: What moves no faster than this is still, metres per second
    :param rest: With method paper, a bell begins and ends below this ratio of its greatest speed
    :param duration_s: With method paper, shorter bells are dropped if they are also slower than peak_m_s, seconds
    :param peak_m_s: See duration_s, metres per second
    :param longest_s: With method paper, longer bells are dropped, seconds
    :param merge_s: Cuts nearer to each other than this become one, seconds
    :param smooth_s: Width over which positions are smoothed, seconds
    :param groups: A rigid group whose speed is looked at, instead of those by role: bat=rightHand,rightLowerArm; may be given several times
    :param offset: Whether position channels replace a joint's offset or add to it (default: replace, unless that would put the whole body into one point)
    :param source_up: Which way is up in the file (default: found from the body)
    :param source_unit: Metres per unit of the file, or m, dm, cm, mm, in, ft, cmu (default: guessed from the body's height)
    :param source_fps: Frames per second of files that do not say it (AMC: 120), or at which curves are sampled (glTF, FBX: the rate of their keys)
    :param take: Which motion of a file with several: its name, or its number from 0 (default: the first)
    :param asf: The ASF file of an AMC (default: the one of its name next to it, up to the underscore), or the rest skeleton of AMASS arrays: the body model's NPZ, or a motion on that skeleton
    :param markers: What the markers of a C3D or TRC file are, as TOML (default: names that are common)
    :param tpose: What to do with an added T-pose in frame 0
    :param memory: Bytes that inputs and the motions made of them may take; None is 8 GiB.
    :param overwrite: Let an output replace a file that is also an input.
    :param progress: A function that is called with the part done, 0 to 1, or a tqdm bar.
    """
    return run(_SEGMENT, locals())


def stream(input, *, output, repeat=False, one_euro=None, offset=None, source_up=None, source_unit=None, source_fps=None, take=None, asf=None, markers=None, tpose="auto", memory=None, overwrite=False, progress=None):
    """Plays a motion as a live stream for tools that listen to the VMC protocol.

    :param input: Motion file, or - for standard input
    :param output: Where to: vmc:HOST:PORT, or vmc:PORT on this machine
    :param repeat: Begin again at the end, until Ctrl-C
    :param one_euro: Smooth as a One-Euro filter does live: cut-off at rest, and its rise per radian per second, in hertz, such as 1,0.5
    :param offset: Whether position channels replace a joint's offset or add to it (default: replace, unless that would put the whole body into one point)
    :param source_up: Which way is up in the file (default: found from the body)
    :param source_unit: Metres per unit of the file, or m, dm, cm, mm, in, ft, cmu (default: guessed from the body's height)
    :param source_fps: Frames per second of files that do not say it (AMC: 120), or at which curves are sampled (glTF, FBX: the rate of their keys)
    :param take: Which motion of a file with several: its name, or its number from 0 (default: the first)
    :param asf: The ASF file of an AMC (default: the one of its name next to it, up to the underscore), or the rest skeleton of AMASS arrays: the body model's NPZ, or a motion on that skeleton
    :param markers: What the markers of a C3D or TRC file are, as TOML (default: names that are common)
    :param tpose: What to do with an added T-pose in frame 0
    :param memory: Bytes that inputs and the motions made of them may take; None is 8 GiB.
    :param overwrite: Let an output replace a file that is also an input.
    :param progress: A function that is called with the part done, 0 to 1, or a tqdm bar.
    """
    return run(_STREAM, locals())


def record(*, input, output=None, fps=60, seconds=None, silence=5, buffer_ms=0, memory=None, overwrite=False, progress=None):
    """Keeps a live stream of the VMC protocol as a motion file

Ends with Ctrl-C, after seconds, or when the sender has been silent for silence seconds. Every half second is written to the
disk at once: a BVH that was cut off by a crash opens with what came until then; next to a file of another format there is
FILE.part.bvh meanwhile.

    :param input: Where from: vmc:PORT on this machine, or vmc:HOST:PORT to listen on the network
    :param output: Motion file to write; without it the result is returned: Clip
    :param fps: Frames per second of the result
    :param seconds: Stop after so many seconds of motion
    :param silence: Stop when nothing came for so many seconds, counted from the first frame
    :param buffer_ms: Hold packets back for so long, to put those that arrive out of order into order
    :param memory: Bytes that inputs and the motions made of them may take; None is 8 GiB.
    :param overwrite: Let an output replace a file that is also an input.
    :param progress: A function that is called with the part done, 0 to 1, or a tqdm bar.
    """
    return run(_RECORD, locals())


def react(input, *, output=None, loads=None, pushes=None, throw=None, control="on", tracking=None, comfort=None, strength=None, body=None, mass_kg=None, human_strength=False, export_body=None, report=None, plot=None, offset=None, source_up=None, source_unit=None, source_fps=None, take=None, asf=None, markers=None, tpose="auto", memory=None, overwrite=False, progress=None):
    """Makes a motion answer to weights, pushes and thrown objects like a person with limited strength who keeps balance.

    :param input: Motion file or folder, or - for standard input
    :param output: File to write, or - for standard output; a folder when the input is a folder; without it the result is returned: Clip
    :param loads: A mass carried: kilograms at a joint, and metres from it; may be repeated
    :param pushes: A blow: when, on which joint, impulse in N·s in world axes; may be repeated
    :param throw: Balls and boxes that meet the body: position, velocity, mass, shape, time
    :param control: What is done against loads and blows
    :param tracking: How the motion is followed; deviation when not given, extremum with control paper
    :param comfort: Part of its strength that a joint bears without discomfort, 0 to 10; 0.15 when not given
    :param strength: Factor on the strength of all joints, 0.001 to 1000; 1 when not given
    :param body: What differs from the tables about the body: masses, strengths, limits
    :param mass_kg: Mass of the body without loads, 5 to 500 kg; 65 when not given
    :param human_strength: Let no joint give more than its strength, also where the motion itself takes more
    :param export_body: Write the body as it is simulated, loads welded on: .xml (MJCF) or .urdf
    :param report: Write the report of every frame: .json or .csv
    :param plot: Draw a plot: error, balance, strain and corrections
    :param offset: Whether position channels replace a joint's offset or add to it (default: replace, unless that would put the whole body into one point)
    :param source_up: Which way is up in the file (default: found from the body)
    :param source_unit: Metres per unit of the file, or m, dm, cm, mm, in, ft, cmu (default: guessed from the body's height)
    :param source_fps: Frames per second of files that do not say it (AMC: 120), or at which curves are sampled (glTF, FBX: the rate of their keys)
    :param take: Which motion of a file with several: its name, or its number from 0 (default: the first)
    :param asf: The ASF file of an AMC (default: the one of its name next to it, up to the underscore), or the rest skeleton of AMASS arrays: the body model's NPZ, or a motion on that skeleton
    :param markers: What the markers of a C3D or TRC file are, as TOML (default: names that are common)
    :param tpose: What to do with an added T-pose in frame 0
    :param memory: Bytes that inputs and the motions made of them may take; None is 8 GiB.
    :param overwrite: Let an output replace a file that is also an input.
    :param progress: A function that is called with the part done, 0 to 1, or a tqdm bar.
    """
    return run(_REACT, locals())


def walk(input, *, output=None, steps=None, stride=None, count=None, turn=None, clamp=False, offset=None, source_up=None, source_unit=None, source_fps=None, take=None, asf=None, markers=None, tpose="auto", memory=None, overwrite=False, progress=None):
    """Puts every footfall of a captured walk where you want it

Footsteps are metres in the world in which the motion starts above the origin facing +Z; the planted ankle's ground point goes to
(x, z) on ground of height y. With stride, count or turn the way is straight, or turns evenly; with nothing the source's own
footfalls are walked.

    :param input: Motion file or database clip that walks, or a folder, or a database: then its walk with the nearest steps
    :param output: File to write, or - for standard output; a folder when the input is a folder; without it the result is returned: Clip
    :param steps: File with footsteps
    :param stride: Distance between successive footfalls, metres, or from the first to the last as 0.7:0.3 [default: the source's]
    :param count: How many steps [default: as many as the source has]
    :param turn: Turn to the left over the whole walk, degrees; to the right when negative
    :param clamp: Move impossible steps to the nearest possible place instead of refusing them
    :param offset: Whether position channels replace a joint's offset or add to it (default: replace, unless that would put the whole body into one point)
    :param source_up: Which way is up in the file (default: found from the body)
    :param source_unit: Metres per unit of the file, or m, dm, cm, mm, in, ft, cmu (default: guessed from the body's height)
    :param source_fps: Frames per second of files that do not say it (AMC: 120), or at which curves are sampled (glTF, FBX: the rate of their keys)
    :param take: Which motion of a file with several: its name, or its number from 0 (default: the first)
    :param asf: The ASF file of an AMC (default: the one of its name next to it, up to the underscore), or the rest skeleton of AMASS arrays: the body model's NPZ, or a motion on that skeleton
    :param markers: What the markers of a C3D or TRC file are, as TOML (default: names that are common)
    :param tpose: What to do with an added T-pose in frame 0
    :param memory: Bytes that inputs and the motions made of them may take; None is 8 GiB.
    :param overwrite: Let an output replace a file that is also an input.
    :param progress: A function that is called with the part done, 0 to 1, or a tqdm bar.
    """
    return run(_WALK, locals())


def network(database, *, layer=None, plot=None, layers="upper-lower", threshold=None, most=50, interior_s=0, whole=False, bpm=None, memory=None, overwrite=False, progress=None):
    """Builds or shows the motion network: which motion may follow which, layer by layer

The network is kept in the database and brought up to date when clips come or go.

    :param database: Database, or sample for the built-in one
    :param layer: Only this layer; full is the whole body in one
    :param plot: Draw a plot: motions and their transitions
    :param layers: Parts of the body that are put together: upper-lower, full, head-arms-legs, or a file with layers
    :param threshold: Leave out transitions that cost this much or more, rad² [default: 0.05, and more where nothing else fits]
    :param most: Keep only so many transitions into and out of each motion, the cheapest; 0 keeps all
    :param interior_s: Let motions be entered and left up to so many seconds inside
    :param whole: Use clips only as a whole, not their single movements
    :param bpm: Let motions last whole beats of this tempo
    :param memory: Bytes that inputs and the motions made of them may take; None is 8 GiB.
    :param overwrite: Let an output replace a file that is also an input.
    :param progress: A function that is called with the part done, 0 to 1, or a tqdm bar.
    """
    return run(_NETWORK, locals())


def compose(database, timeline, *, output=None, candidates=8, generations=2000, population=200, method="genetic", cut_rule="figure", log=None, seed=0, lyrics=None, gestures=None, gesture_layer=None, valid_f=None, weights=None, distance=0.3, want=None, avoid=None, repetition=None, energy=None, same_clip=None, direction=None, climb=False, blend_s=0.6, to=None, feet="all", no_page=False, layers="upper-lower", threshold=None, most=50, interior_s=0, whole=False, bpm=None, memory=None, overwrite=False, progress=None):
    """Fills a timeline of key motions from a database, several ways to choose from

Writes one motion per performance, candidates.json, a chart of their clips as SVG and CSV, and a page that shows all of
them side by side.

    :param database: Database, or sample for the built-in one
    :param timeline: Timeline: key motions with times, TOML or JSON
    :param output: Folder to write into; made when missing; without it the result is returned: dict[str, Clip | bytes]
    :param candidates: Performances wanted
    :param generations: Generations after which fewer performances are enough
    :param population: Sequences of a generation
    :param method: How gaps are filled
    :param cut_rule: Where genetic-paper cuts sequences: by the paper's figure, or by its text
    :param log: Write F of each generation of genetic-paper
    :param seed: Where all chance comes from
    :param lyrics: Lyrics with times, whose words become key motions
    :param gestures: Words and the clips or tags they stand for, TOML or JSON
    :param gesture_layer: Layer of the key motions from lyrics; all layers when left out
    :param valid_f: F that a performance must reach; found by itself when left out
    :param weights: Weights of time error, transitions and torso in F; found by themselves when left out
    :param distance: Least difference between two performances, as a ratio of their clips
    :param want: Prefer clips with this tag; may be given several times
    :param avoid: Avoid clips with this tag; may be given several times
    :param repetition: How much repetitions count in F; 0 allows them [default: 6; of genetic-paper 0]
    :param energy: How much gaps must be filled as energetically as their key motions move; 0 lets them be any [default: 1; of genetic-paper 0]
    :param same_clip: How much it counts that layers show the same clip at once; 0 allows it [default: 2; of genetic-paper 0]
    :param direction: Travel this way, degrees to the left of where the motion starts facing
    :param climb: Allow clips that climb, though there may be no steps where they are shown; genetic-paper does
    :param blend_s: How long each seam is spread
    :param to: Format of the files: bvh, glb, … [default: bvh]
    :param feet: Which standing feet are held
    :param no_page: Write no page
    :param layers: Parts of the body that are put together: upper-lower, full, head-arms-legs, or a file with layers
    :param threshold: Leave out transitions that cost this much or more, rad² [default: 0.05, and more where nothing else fits]
    :param most: Keep only so many transitions into and out of each motion, the cheapest; 0 keeps all
    :param interior_s: Let motions be entered and left up to so many seconds inside
    :param whole: Use clips only as a whole, not their single movements
    :param bpm: Let motions last whole beats of this tempo
    :param memory: Bytes that inputs and the motions made of them may take; None is 8 GiB.
    :param overwrite: Let an output replace a file that is also an input.
    :param progress: A function that is called with the part done, 0 to 1, or a tqdm bar.
    """
    return run(_COMPOSE, locals())


def demo(*, output, serve=False, port=4650, check=False, open=False, memory=None, overwrite=False, progress=None):
    """Runs one example of each capability on the built-in sample motions

Writes motion files, pictures and an index page into a folder.

    :param output: Folder to write into; made when missing
    :param serve: Then show the page at a local address until Ctrl-C
    :param port: Port of the local address; the next free one when it is busy
    :param check: Fetch the page once and end; with serve
    :param open: Open the page in a browser where there is a display; with serve
    :param memory: Bytes that inputs and the motions made of them may take; None is 8 GiB.
    :param overwrite: Let an output replace a file that is also an input.
    :param progress: A function that is called with the part done, 0 to 1, or a tqdm bar.
    """
    return run(_DEMO, locals())


class perform:
    """The verbs of `ugoki perform`."""

    @staticmethod
    def learn(inputs, *, output, alone=False, pair="lag", plot=None, offset=None, source_up=None, source_unit=None, source_fps=None, take=None, asf=None, markers=None, tpose="auto", memory=None, overwrite=False, progress=None):
        """Makes a model of actors' motions, and of imitations of them if there are any.

        :param inputs: An actor's motion, an imitation of it, the next actor's motion, …; imitations of one motion are pooled. With alone actors' motions only
        :param output: Model to write: a database; one that exists is added to
        :param alone: Learn without imitations: performers are followed without; `method paper` needs them
        :param pair: The imitation follows the actor with one lag, or takes its own time
        :param plot: Draw a plot: the measured and the estimated objective
        :param offset: Whether position channels replace a joint's offset or add to it (default: replace, unless that would put the whole body into one point)
        :param source_up: Which way is up in the file (default: found from the body)
        :param source_unit: Metres per unit of the file, or m, dm, cm, mm, in, ft, cmu (default: guessed from the body's height)
        :param source_fps: Frames per second of files that do not say it (AMC: 120), or at which curves are sampled (glTF, FBX: the rate of their keys)
        :param take: Which motion of a file with several: its name, or its number from 0 (default: the first)
        :param asf: The ASF file of an AMC (default: the one of its name next to it, up to the underscore), or the rest skeleton of AMASS arrays: the body model's NPZ, or a motion on that skeleton
        :param markers: What the markers of a C3D or TRC file are, as TOML (default: names that are common)
        :param tpose: What to do with an added T-pose in frame 0
        :param memory: Bytes that inputs and the motions made of them may take; None is 8 GiB.
        :param overwrite: Let an output replace a file that is also an input.
        :param progress: A function that is called with the part done, 0 to 1, or a tqdm bar.
        """
        return run(_PERFORM_LEARN, locals())

    @staticmethod
    def run(model, *, input, output=None, buffer_ms=0, method="follow", unknown=1, amount=1, lookahead=0, mirror="auto", offset=None, source_up=None, source_unit=None, source_fps=None, take=None, asf=None, markers=None, tpose="auto", memory=None, overwrite=False, progress=None):
        """Plays the actor's motion as the performer goes through it.

        :param model: Model that `learn` wrote; moves.ugoki#kick for one motion of it
        :param input: Performance: a motion file or folder, - for standard input, or vmc:PORT for a live stream; - with a live output performs each row of a BVH as it comes
        :param output: Motion file or folder to write, - for standard output, or vmc:HOST:PORT to send it live; without it the result is returned: Clip
        :param buffer_ms: Hold packets back for so long, to put those that arrive out of order into order; for live input
        :param method: follow: the most probable motion, frame, rate and size after all frames so far; paper: the least sum of distances and the imitation's regression, as published; dp: the paper's with dynamic programming instead of the sum
        :param unknown: Probability of a movement that was not learned, 0 to 1, from which the performer is shown; 1 is never, 0.5 also shows the performer in many real repeats. `follow` only
        :param amount: How much of the actor is shown, 0 (the performer) to 1 (the actor). `follow` only
        :param lookahead: Show everything so much later, to know more of the performance; up to 0.5. `follow` only
        :param mirror: Whether the performer uses the other hand and foot than the actor; auto finds out while following
        :param offset: Whether position channels replace a joint's offset or add to it (default: replace, unless that would put the whole body into one point)
        :param source_up: Which way is up in the file (default: found from the body)
        :param source_unit: Metres per unit of the file, or m, dm, cm, mm, in, ft, cmu (default: guessed from the body's height)
        :param source_fps: Frames per second of files that do not say it (AMC: 120), or at which curves are sampled (glTF, FBX: the rate of their keys)
        :param take: Which motion of a file with several: its name, or its number from 0 (default: the first)
        :param asf: The ASF file of an AMC (default: the one of its name next to it, up to the underscore), or the rest skeleton of AMASS arrays: the body model's NPZ, or a motion on that skeleton
        :param markers: What the markers of a C3D or TRC file are, as TOML (default: names that are common)
        :param tpose: What to do with an added T-pose in frame 0
        :param memory: Bytes that inputs and the motions made of them may take; None is 8 GiB.
        :param overwrite: Let an output replace a file that is also an input.
        :param progress: A function that is called with the part done, 0 to 1, or a tqdm bar.
        """
        return run(_PERFORM_RUN, locals())

    @staticmethod
    def recognize(model, *, input, method="follow", unknown=1, amount=1, lookahead=0, mirror="auto", offset=None, source_up=None, source_unit=None, source_fps=None, take=None, asf=None, markers=None, tpose="auto", memory=None, overwrite=False, progress=None):
        """Says which motion a performance is, frame by frame.

        :param model: Model that `learn` wrote; moves.ugoki#kick for one motion of it
        :param input: Performance: a motion file, or - for standard input
        :param method: follow: the most probable motion, frame, rate and size after all frames so far; paper: the least sum of distances and the imitation's regression, as published; dp: the paper's with dynamic programming instead of the sum
        :param unknown: Probability of a movement that was not learned, 0 to 1, from which the performer is shown; 1 is never, 0.5 also shows the performer in many real repeats. `follow` only
        :param amount: How much of the actor is shown, 0 (the performer) to 1 (the actor). `follow` only
        :param lookahead: Show everything so much later, to know more of the performance; up to 0.5. `follow` only
        :param mirror: Whether the performer uses the other hand and foot than the actor; auto finds out while following
        :param offset: Whether position channels replace a joint's offset or add to it (default: replace, unless that would put the whole body into one point)
        :param source_up: Which way is up in the file (default: found from the body)
        :param source_unit: Metres per unit of the file, or m, dm, cm, mm, in, ft, cmu (default: guessed from the body's height)
        :param source_fps: Frames per second of files that do not say it (AMC: 120), or at which curves are sampled (glTF, FBX: the rate of their keys)
        :param take: Which motion of a file with several: its name, or its number from 0 (default: the first)
        :param asf: The ASF file of an AMC (default: the one of its name next to it, up to the underscore), or the rest skeleton of AMASS arrays: the body model's NPZ, or a motion on that skeleton
        :param markers: What the markers of a C3D or TRC file are, as TOML (default: names that are common)
        :param tpose: What to do with an added T-pose in frame 0
        :param memory: Bytes that inputs and the motions made of them may take; None is 8 GiB.
        :param overwrite: Let an output replace a file that is also an input.
        :param progress: A function that is called with the part done, 0 to 1, or a tqdm bar.
        """
        return run(_PERFORM_RECOGNIZE, locals())

    @staticmethod
    def evaluate(model, *, input=None, method="follow", unknown=1, amount=1, lookahead=0, mirror="auto", offset=None, source_up=None, source_unit=None, source_fps=None, take=None, asf=None, markers=None, tpose="auto", memory=None, overwrite=False, progress=None):
        """Says how well a model is followed: its motions on other bones, slower, faster, smaller, shaken and with a pause.

        :param model: Model that `learn` wrote; moves.ugoki#kick for one motion of it
        :param input: A take of yours to change instead of the model's motions; what is shown of it as it is counts as right
        :param method: follow: the most probable motion, frame, rate and size after all frames so far; paper: the least sum of distances and the imitation's regression, as published; dp: the paper's with dynamic programming instead of the sum
        :param unknown: Probability of a movement that was not learned, 0 to 1, from which the performer is shown; 1 is never, 0.5 also shows the performer in many real repeats. `follow` only
        :param amount: How much of the actor is shown, 0 (the performer) to 1 (the actor). `follow` only
        :param lookahead: Show everything so much later, to know more of the performance; up to 0.5. `follow` only
        :param mirror: Whether the performer uses the other hand and foot than the actor; auto finds out while following
        :param offset: Whether position channels replace a joint's offset or add to it (default: replace, unless that would put the whole body into one point)
        :param source_up: Which way is up in the file (default: found from the body)
        :param source_unit: Metres per unit of the file, or m, dm, cm, mm, in, ft, cmu (default: guessed from the body's height)
        :param source_fps: Frames per second of files that do not say it (AMC: 120), or at which curves are sampled (glTF, FBX: the rate of their keys)
        :param take: Which motion of a file with several: its name, or its number from 0 (default: the first)
        :param asf: The ASF file of an AMC (default: the one of its name next to it, up to the underscore), or the rest skeleton of AMASS arrays: the body model's NPZ, or a motion on that skeleton
        :param markers: What the markers of a C3D or TRC file are, as TOML (default: names that are common)
        :param tpose: What to do with an added T-pose in frame 0
        :param memory: Bytes that inputs and the motions made of them may take; None is 8 GiB.
        :param overwrite: Let an output replace a file that is also an input.
        :param progress: A function that is called with the part done, 0 to 1, or a tqdm bar.
        """
        return run(_PERFORM_EVALUATE, locals())


class db:
    """The verbs of `ugoki db`."""

    @staticmethod
    def create(database, *, skeleton=None, fps=None, memory=None, overwrite=False, progress=None):
        """Makes an empty database.

        :param database: Database to make
        :param skeleton: Motion file whose skeleton the database takes [default: 22 body joints and fingers, 1.70 m tall]
        :param fps: Frames per second of the result: the clips of the database [default: 60]
        :param memory: Bytes that inputs and the motions made of them may take; None is 8 GiB.
        :param overwrite: Let an output replace a file that is also an input.
        :param progress: A function that is called with the part done, 0 to 1, or a tqdm bar.
        """
        return run(_DB_CREATE, locals())

    @staticmethod
    def add(database, paths=None, *, files_from=None, license=None, tags=None, offset=None, source_up=None, source_unit=None, source_fps=None, take=None, asf=None, markers=None, tpose="auto", memory=None, overwrite=False, progress=None):
        """Takes motion files and folders in; files that have not changed are passed over

What is finished stays in the database, also when it is stopped or killed; running it again goes on.

        :param database: Database; made if it is not there
        :param paths: Motion files, folders or patterns
        :param files_from: A text with one file or folder on each line, or - for standard input
        :param license: Licence of these files [default: the nearest LICENSE or README file]
        :param tags: Tag for every clip; may be given several times
        :param offset: Whether position channels replace a joint's offset or add to it (default: replace, unless that would put the whole body into one point)
        :param source_up: Which way is up in the file (default: found from the body)
        :param source_unit: Metres per unit of the file, or m, dm, cm, mm, in, ft, cmu (default: guessed from the body's height)
        :param source_fps: Frames per second of files that do not say it (AMC: 120), or at which curves are sampled (glTF, FBX: the rate of their keys)
        :param take: Which motion of a file with several: its name, or its number from 0 (default: the first)
        :param asf: The ASF file of an AMC (default: the one of its name next to it, up to the underscore), or the rest skeleton of AMASS arrays: the body model's NPZ, or a motion on that skeleton
        :param markers: What the markers of a C3D or TRC file are, as TOML (default: names that are common)
        :param tpose: What to do with an added T-pose in frame 0
        :param memory: Bytes that inputs and the motions made of them may take; None is 8 GiB.
        :param overwrite: Let an output replace a file that is also an input.
        :param progress: A function that is called with the part done, 0 to 1, or a tqdm bar.
        """
        return run(_DB_ADD, locals())

    @staticmethod
    def list(database, clips=None, *, tags=None, seconds=None, speed=None, duplicates=False, memory=None, overwrite=False, progress=None):
        """Lists clips.

        :param database: Database
        :param clips: Names, patterns such as '16_*', or numbers as id:17; list and export take all clips without any filter
        :param tags: Only clips with this tag, or without it: '!turn-left'; may be given several times
        :param seconds: Only clips this long, seconds: 2:10, :5 or 3:
        :param speed: Only clips whose hips travel this fast on average, m/s: 1:1.5
        :param duplicates: Only clips whose motion is in the database more than once
        :param memory: Bytes that inputs and the motions made of them may take; None is 8 GiB.
        :param overwrite: Let an output replace a file that is also an input.
        :param progress: A function that is called with the part done, 0 to 1, or a tqdm bar.
        """
        return run(_DB_LIST, locals())

    @staticmethod
    def show(database, clips=None, *, memory=None, overwrite=False, progress=None):
        """Shows everything about clips, or about the database.

        :param database: Database
        :param clips: Names of clips, or numbers as id:17
        :param memory: Bytes that inputs and the motions made of them may take; None is 8 GiB.
        :param overwrite: Let an output replace a file that is also an input.
        :param progress: A function that is called with the part done, 0 to 1, or a tqdm bar.
        """
        return run(_DB_SHOW, locals())

    @staticmethod
    def tag(database, clips, *, add=None, remove=None, memory=None, overwrite=False, progress=None):
        """Puts tags on clips or takes them off.

        :param database: Database
        :param clips: Names, patterns or numbers as id:17
        :param add: Tag to put on; may be given several times
        :param remove: Tag to take off; may be given several times
        :param memory: Bytes that inputs and the motions made of them may take; None is 8 GiB.
        :param overwrite: Let an output replace a file that is also an input.
        :param progress: A function that is called with the part done, 0 to 1, or a tqdm bar.
        """
        return run(_DB_TAG, locals())

    @staticmethod
    def remove(database, clips=None, *, tags=None, seconds=None, speed=None, duplicates=False, memory=None, overwrite=False, progress=None):
        """Removes clips.

        :param database: Database
        :param clips: Names, patterns such as '16_*', or numbers as id:17; list and export take all clips without any filter
        :param tags: Only clips with this tag, or without it: '!turn-left'; may be given several times
        :param seconds: Only clips this long, seconds: 2:10, :5 or 3:
        :param speed: Only clips whose hips travel this fast on average, m/s: 1:1.5
        :param duplicates: Only clips whose motion is in the database more than once
        :param memory: Bytes that inputs and the motions made of them may take; None is 8 GiB.
        :param overwrite: Let an output replace a file that is also an input.
        :param progress: A function that is called with the part done, 0 to 1, or a tqdm bar.
        """
        return run(_DB_REMOVE, locals())

    @staticmethod
    def check(database, *, repair=False, memory=None, overwrite=False, progress=None):
        """Checks whether everything in the database is sound: decodes all clips and measures their errors.

        :param database: Database
        :param repair: First make damaged and outdated derived forms again, from the clips as they came
        :param memory: Bytes that inputs and the motions made of them may take; None is 8 GiB.
        :param overwrite: Let an output replace a file that is also an input.
        :param progress: A function that is called with the part done, 0 to 1, or a tqdm bar.
        """
        return run(_DB_CHECK, locals())

    @staticmethod
    def export(database, clips=None, *, output=None, source=False, to=None, tags=None, seconds=None, speed=None, duplicates=False, memory=None, overwrite=False, progress=None):
        """Writes clips as motion files.

        :param database: Database
        :param clips: Names, patterns such as '16_*', or numbers as id:17; list and export take all clips without any filter
        :param output: File for one clip, or folder for one file per clip; without it the result is returned: dict[str, Clip | bytes]
        :param source: Each clip as it came in: on its own skeleton, at its own rate
        :param to: Format of the files: bvh, glb, … [default: that of OUT, else bvh]
        :param tags: Only clips with this tag, or without it: '!turn-left'; may be given several times
        :param seconds: Only clips this long, seconds: 2:10, :5 or 3:
        :param speed: Only clips whose hips travel this fast on average, m/s: 1:1.5
        :param duplicates: Only clips whose motion is in the database more than once
        :param memory: Bytes that inputs and the motions made of them may take; None is 8 GiB.
        :param overwrite: Let an output replace a file that is also an input.
        :param progress: A function that is called with the part done, 0 to 1, or a tqdm bar.
        """
        return run(_DB_EXPORT, locals())

    @staticmethod
    def merge(databases, *, output=None, memory=None, overwrite=False, progress=None):
        """Joins databases into a new one, each clip once

Clips come over with everything that is known of them, under new numbers; a name that is taken gets a number. The same file, read in
the same way, is taken once, with the tags of both. Skeleton and rate of all must be the same.

        :param databases: Databases
        :param output: Database to make; without it the result is returned: Clip
        :param memory: Bytes that inputs and the motions made of them may take; None is 8 GiB.
        :param overwrite: Let an output replace a file that is also an input.
        :param progress: A function that is called with the part done, 0 to 1, or a tqdm bar.
        """
        return run(_DB_MERGE, locals())

    @staticmethod
    def pull(folder, *, output=None, condition=None, memory=None, overwrite=False, progress=None):
        """Takes clips out of a folder of databases into a new one.

        :param folder: Folder of databases
        :param output: Database to make; without it the result is returned: Clip
        :param condition: Only clips for which this holds with one of their tags
        :param memory: Bytes that inputs and the motions made of them may take; None is 8 GiB.
        :param overwrite: Let an output replace a file that is also an input.
        :param progress: A function that is called with the part done, 0 to 1, or a tqdm bar.
        """
        return run(_DB_PULL, locals())

    @staticmethod
    def push(database, folder, *, memory=None, overwrite=False, progress=None):
        """Adds the clips of a database to a folder of databases, as one more of them

Clips that the folder has already are left out; the new database is called by its content.

        :param database: Database
        :param folder: Folder of databases; made when missing
        :param memory: Bytes that inputs and the motions made of them may take; None is 8 GiB.
        :param overwrite: Let an output replace a file that is also an input.
        :param progress: A function that is called with the part done, 0 to 1, or a tqdm bar.
        """
        return run(_DB_PUSH, locals())


__all__ = ["info", "check", "convert", "plant", "compare", "render", "filter", "equalize", "blend", "loop", "edit", "splice", "segment", "stream", "record", "react", "walk", "network", "compose", "demo", "perform", "db"]
