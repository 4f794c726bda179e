#!/usr/bin/env python3
"""Proves that two builds of `ugoki` give bit-identical output, for every verb over every capture.

    python3 scripts/compare_builds.py REFERENCE NEW --captures DIR
    python3 scripts/compare_builds.py REFERENCE NEW --quick             # a sixth of the cases
    python3 scripts/compare_builds.py REFERENCE NEW --verbs walk,react  # some verbs
    python3 scripts/compare_builds.py REFERENCE REFERENCE               # must be clean

Use it for a refactoring: REFERENCE is the binary before, NEW the binary after. Both run with the same
arguments in fresh folders of their own. Exit code, standard output, standard error and every written file
are compared byte by byte. Differences that are intended go into the table JUSTIFIED, with their reason.
Databases are compared by `db list`, `db show` and exported clips, not by SQLite bytes.

--captures is a folder with motion files in any format; $UGOKI_CAPTURES by default. It is copied, so no run
can damage it. --keep DIR keeps the folders of the cases that differ, and the full list of differences.

A full run takes about 19 minutes of processor time, --quick 3.5: half of that with two free processors.

Exit code: 0 identical or justified, 1 a difference that is not justified, 2 wrong usage.
Help texts and the version are compared for information only: they may change.

Not compared, because the result depends on the clock: `record` and `perform run` with live input (only
their errors are compared), and `studio` (only its help and errors). The packets of `stream` and of
`perform run --output vmc:…` do not depend on it and are compared.
"""
import argparse
import fnmatch
import json
import multiprocessing
import os
import re
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import zlib
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import NamedTuple

# ---------------------------------------------------------------------------------------------------------
# Intended differences


class Justified(NamedTuple):
    """One intended difference between REFERENCE and NEW."""

    cases: str  # a verb ("walk"), or a pattern for case names ("convert/*glb*")
    part: str  # see below
    only: str | None  # narrows the part, see below
    reason: str


# part               only
# exit-code          None
# stderr-text        None: any text; WORDING: the numbers must agree; else a regular expression: lines that
# stdout-text          contain it on either side are left out of the comparison
# stdout-json-keys   a regular expression for whole key paths such as r"warnings\[\]\.message"; left out
# stdout-json-words  the same, but the numbers inside these strings must agree
# file               a pattern for file names: these files may differ
# file-words         a pattern for file names: the numbers in these files must agree
WORDING = "wording"
TEXTS = "errors name the file to blame, advice is part of the message or a field of its own, and words are plain English"
DEMO = "the demo runs the command lines it shows, on files; before, it worked on motions in memory"
JUSTIFIED: list[Justified] = [
    Justified("blend", "stderr-text", r"--strict|has no joint with the role|no part of clip", TEXTS),
    Justified("splice", "stderr-text", r"--strict|has no joint with the role|skeleton", TEXTS),
    Justified("loop", "stderr-text", r"`ugoki check", "loop also reports what was unusual about its input"),
    Justified("walk", "stderr-text", r" is broken at ", "with --json the report has it in the field `broken`"),
    Justified("compose", "stderr-text", r"^note: |^open ", "notes are also shown with --json"),
    Justified("*/usage", "stderr-text", None, TEXTS),
    Justified("convert/usage", "exit-code", None, "an output that is also an input is refused"),
    Justified("convert/usage", "file", "odd.bvh", "an output that is also an input is refused"),
    Justified("plant/usage", "exit-code", None, "an output that is also an input is refused"),
    Justified("demo", "file", "out/*", DEMO),
    Justified("demo", "stderr-text", None, DEMO),
    Justified("demo", "stdout-json-keys", r"examples|files", DEMO),
    Justified("check/odd files", "stdout-text", r": ok$|can be used, but has", "files with errors are not headed ok"),
    Justified("check", "stdout-text", WORDING, TEXTS),
    Justified("check", "stdout-json-words", r"files\[\]\.findings\[\]\.message", TEXTS),
    Justified("info", "stdout-text", WORDING, TEXTS),
    Justified("info", "stdout-json-words", r"warnings\[\]\.message", TEXTS),
    Justified("convert", "stdout-json-words", r"errors\[\]\.(message|hint)", TEXTS),
    Justified("db", "stdout-text", WORDING, TEXTS),
    Justified("db", "stdout-json-words", r"skipped\[\]\.(message|hint)", TEXTS),
    Justified("db", "stdout-json-keys", r"clips\[\]\.file\.findings\[\]\.assumed", "a database stores no option names"),
    Justified("*", "stdout-json-keys", r"error\.(message|hint|file)", TEXTS),
    Justified("*", "stderr-text", WORDING, TEXTS),
]

# Options that NEW spells differently. (verb, option of REFERENCE, option of NEW)
RENAMED = [("react", "--strict", "--human-strength")]

# Output that depends on the clock, replaced before the comparison. (verb, pattern, replacement)
# - `stream` plays in real time and reports the measured duration.
CLOCK = [
    ("stream", rb'"seconds": [0-9.]+', b'"seconds": CLOCK'),
    ("stream", rb"[0-9.]+ s\b", b"CLOCK s"),
]

# ---------------------------------------------------------------------------------------------------------
# Limits

TIMEOUT_S = 300.0  # of one command
LONG_S = 60.0  # captures longer than this are trimmed or skipped by the expensive verbs
QUICK = 6  # --quick runs one case in so many
MOTION = {"bvh", "amc", "fbx", "glb", "gltf", "vrm", "vrma", "c3d", "trc", "txt", "json", "npz"}
DATABASE = re.compile(r"\.ugoki(-wal|-shm|-journal)?$")


# ---------------------------------------------------------------------------------------------------------
# Cases


@dataclass(frozen=True)
class Step:
    """One command line. `{port}` in it is a UDP port at which the packets are collected."""

    args: tuple[str, ...]
    stdin: str | None = None

    def command(self):
        return shlex.join(["ugoki", *self.args]) + (f" < {shlex.quote(self.stdin)}" if self.stdin else "")


@dataclass
class Case:
    """Commands that run one after the other in one folder."""

    verb: str
    name: str
    steps: list[Step]
    links: dict[str, str] = field(default_factory=dict)  # name in the folder → file
    texts: dict[str, str] = field(default_factory=dict)  # name in the folder → content
    fixtures: dict[str, str] = field(default_factory=dict)  # name in the folder → prepared database
    informational: bool = False

    @property
    def id(self):
        return f"{self.verb}/{self.name}"

    def commands(self):
        return "; ".join(step.command() for step in self.steps)


@dataclass
class Capture:
    """An input: a motion file, or a clip of the sample database."""

    name: str  # relative to the captures
    word: str  # how the command line names it
    links: dict[str, str]
    seconds: float = 0.0
    readable: bool = False

    @property
    def ending(self):
        return self.word.rsplit(".", 1)[-1].lower() if self.links else "sample"


# Small input files.
STEPS_JSON = json.dumps({"steps": [
    {"foot": "left", "x": 0.10, "z": 0.55, "y": 0.0, "heading_deg": 0},
    {"foot": "right", "x": -0.08, "z": 1.10, "y": 0.0, "heading_deg": 5},
    {"foot": "left", "x": 0.12, "z": 1.60, "y": 0.05, "heading_deg": 10},
    {"foot": "right", "x": -0.05, "z": 2.10, "y": 0.05, "heading_deg": 0},
    {"foot": "left", "x": 0.10, "z": 2.50, "y": 0.0, "heading_deg": -10},
]})
STEPS = {
    "steps.json": STEPS_JSON,
    "right.json": STEPS_JSON.replace("left", "LEFT").replace("right", "left").replace("LEFT", "right"),
    "broken.json": "{",
    "none.json": '{"steps": []}',
    "twice.json": STEPS_JSON.replace('"right"', '"left"'),
    "words.json": STEPS_JSON.replace("0.55", '"far"'),
}
BODIES = {
    "balls.json": json.dumps({"bodies": [
        {"shape": "ball", "radius_m": 0.11, "mass_kg": 0.6, "position_m": [0, 1.2, 2],
         "velocity_m_s": [0, 1.5, -8], "at_s": 0.2},
        {"shape": "box", "size_m": [0.3, 0.3, 0.3], "position_m": [-0.8, 0.15, 0], "at_s": 0},
    ]}),
    "body.toml": "mass_kg = 80\n[links.leftLowerLeg]\nstrength = 0.5\n",
    "broken.json": "{",
    "broken.toml": "mass_kg = x",
}
MARKERS = {"map.toml": 'base = "plug-in-gait"\n[markers]\n"Channel101" = "left heel"\n"RFT1" = "right heel"\n'}
STATS = {
    "stats.json": json.dumps({"mean": [0.1] * 156, "std": [2.0] * 156}),  # 52 joints
    "broken.json": "{",
    "short.json": '{"mean": [0], "std": [1]}',
}
SHOW_TOML = """seconds = 20
[[key]]
at = 2
clip = "hand-on-heart"
[[key]]
at = 7
clip = "point-at-you"
layer = "upper"
[[key]]
at = 15
clip = "bow"
"""
WIDE_TOML = """seconds = 26
[[key]]
at = 4
clip = "hand-on-heart"
[[key]]
at = 11
clip = "point-at-you"
[[key]]
at = 19
clip = "bow"
"""
LAYERS_TOML = """base = "body"
[[layers]]
name = "arms"
joints = ["leftUpperArm", "rightUpperArm"]
[[layers]]
name = "body"
"""
TIMELINES = {
    "show.toml": SHOW_TOML,
    "beat.toml": "bpm = 97.3\n" + SHOW_TOML,
    "beats.toml": "beats = [0.0, 0.52, 1.03, 1.55]\n" + SHOW_TOML,
    "tag.toml": SHOW_TOML.replace('clip = "bow"', 'tag = "wave"'),
    "show.json": json.dumps({"seconds": 12, "key": [{"at": 1, "clip": "wave"}, {"at": 7, "clip": "clap"}]}),
    "wide.toml": WIDE_TOML,
    "plain.toml": "seconds = 12\n",
    "words.toml": 'heart = "hand-on-heart"\nyou = "point-at-you"\n',
    "layers.toml": LAYERS_TOML,
    "song.toml": """seconds = 30
lyrics = "song.lrc"
gesture_layer = "upper"
[gestures]
heart = "hand-on-heart"
you = "point-at-you"
open = "open-arms"
sky = "reach-up"
yes = "nod"
""",
    "song.lrc": """[ti:The sky is open]
[length:00:30.00]
[00:01.00]My <00:01.50>heart was a room with the curtains drawn
[00:05.50]and <00:06.20>you came in with the light
[00:10.00]The windows are <00:11.00>open, the night is gone
[00:14.80]look up, there's a <00:15.60>sky, so bright
[00:19.50]Say <00:20.30>yes to the morning, say it again
""",
    "broken.toml": "seconds = x",
    "unknown.toml": SHOW_TOML.replace("bow", "none"),
    "near.toml": SHOW_TOML.replace("at = 7", "at = 2.1"),
    "layer.toml": SHOW_TOML.replace("upper", "tail"),
}
ODD_BVH = """HIERARCHY
ROOT Hips
{
  OFFSET 0,0 90,5 0
  CHANNELS 6 Xposition Yposition Zposition Yrotation Xrotation Zrotation
  JOINT Chest
  {
    OFFSET 0 30 0
    CHANNELS 3 Zrotation Yrotation Xrotation
    End Site
    {
      OFFSET 0 30 0
    }
  }
}
MOTION
Frames: 4
Frame Time: 0.0333
0 90 0 0 0 0 0 0 0
0 90-1.5 1 2 3 4 5 6
0,5 90 2 2 4 6 8 10 nan
""".replace("\n", "\r\n")
ODD = {
    "odd.bvh": ODD_BVH,
    "garbage.bvh": "HIERARCHY\nROOT hips\n{\n  OFFSET 0 0 0\n  CHANNELS 3 Zrotation\n}\nMOTION\nFrames: x\n",
    "empty.bvh": "",
    "noise.bin": "\x01\x02\x03 no motion \x00",
}
ALL = {"all.ugoki": "all"}
WRITTEN = ["bvh", "glb", "gltf", "vrm", "vrma", "npz", "csv", "trc"]
FOLDER = Capture("captures", "captures", {"captures": ""})  # the link is set when the folder is copied
UNREADABLE = "captures that cannot be read: only the failure is compared"


def lines(text):
    return [line.strip() for line in text.strip().splitlines()]


class Suite:
    """Collects the cases."""

    def __init__(self, captures, others, samples, clips):
        self.captures = captures
        self.readable = [capture for capture in captures if capture.readable]
        self.others = others
        self.samples = samples
        self.clips = clips  # per database: (name, seconds, on the database's skeleton)
        self.cases = []
        self.skipped = Counter()
        self.ids = set()

    def add(self, verb, name, commands, *on, texts=None, fixtures=None, stdin=None, informational=False):
        """Adds a case. There is a command in every line; {a}, {b}, {c} in them are the inputs."""
        links = {}
        for capture in on:
            links.update(capture.links)
        words = dict(zip("abc", (capture.word for capture in on)))
        steps = []
        for command in lines(commands) if commands else [""]:
            args = [re.sub(r"\{([abc])\}", lambda found: words[found[1]], arg) for arg in shlex.split(command)]
            steps.append(Step(tuple(args), words["a"] if stdin == "{a}" else stdin))
        label = " + ".join([capture.name for capture in on] + [name])
        case = Case(verb, label, steps, links, dict(texts or {}), dict(fixtures or {}), informational)
        if case.id in self.ids:
            raise ValueError(f"two cases are called {case.id}")
        self.ids.add(case.id)
        self.cases.append(case)

    def skip(self, verb, why, count=1):
        self.skipped[verb, why] += count

    def find(self, *stems):
        """The captures with these file stems, or None when one is missing."""
        by_stem = {}
        for capture in self.readable:
            by_stem.setdefault(os.path.splitext(capture.word)[0], capture)
        found = [by_stem.get(stem) for stem in stems]
        return None if None in found else found

    def inputs(self, verb, failing, expensive=False):
        """Numbered captures and sample clips for a verb that takes one motion.

        A capture that cannot be read gets one case, which compares how the command `failing` fails.
        """
        for number, capture in enumerate(self.captures):
            if not capture.readable:
                self.add(verb, "unreadable", f"{failing}\n{failing} --json", capture)
                self.skip(verb, UNREADABLE)
            elif expensive and capture.seconds > LONG_S:
                self.skip(verb, f"captures longer than {LONG_S:.0f} s")
            else:
                yield number, capture
        yield from enumerate(self.samples, len(self.captures))

    def neighbours(self, places=1):
        """Numbered readable captures, with the one so many places further on."""
        count = len(self.readable)
        if count > places:
            for number, capture in enumerate(self.readable):
                yield number, capture, self.readable[(number + places) % count]

    def trios(self):
        """Every second readable capture, with one from the other half and the next one."""
        for number, capture, other in self.neighbours(max(2, len(self.readable) // 2)):
            third = self.readable[(number + 1) % len(self.readable)]
            if number % 2 == 0 and len({capture.word, other.word, third.word}) == 3:
                yield capture, other, third

    # -- One motion in -------------------------------------------------------------------------------------

    def info(self):
        reading = lines("""
            --tpose drop
            --source-up z
            --source-unit cm
            --source-fps 50
            --offset add
            --take 1
            --take 99
            --source-up y
            --offset replace
            --source-unit cmu
        """)
        for verb in ["info", "check"]:
            for number, capture in enumerate(self.captures + self.others + self.samples):
                self.add(verb, "text", f"{verb} {{a}}", capture)
                self.add(verb, "json", f"{verb} {{a}} --json", capture)
                option = reading[number % len(reading)]
                self.add(verb, option, f"{verb} {{a}} {option} --json", capture)
            self.add(verb, "usage", f"""
                {verb}
                {verb} --what
                {verb} a b c --json
                {verb} odd.bvh --source-unit -1
                {verb} none.bvh
                {verb} none.bvh --json
            """, texts=ODD)
            self.add(verb, "odd files", f"""
                {verb} garbage.bvh
                {verb} empty.bvh
                {verb} odd.bvh
                {verb} odd.bvh --json
                {verb} noise.bin
            """, texts=ODD)
            self.add(verb, "database", f"""
                {verb} all.ugoki
                {verb} all.ugoki#id:1
                {verb} all.ugoki#none --json
                {verb} sample
                {verb} sample#none
            """, fixtures=ALL)
        for capture in self.readable[::8]:
            self.add("info", "stdin", "info -\ninfo - --json", capture, stdin="{a}")
        for capture in self.captures:
            if capture.ending in ("c3d", "trc"):
                self.add("info", "marker map", """
                    info {a} --markers map.toml
                    info {a} --markers map.toml --json
                    convert {a} out.bvh --markers map.toml
                """, capture, texts=MARKERS)
        self.add("check", "folder", "check captures\ncheck captures --json", FOLDER)
        self.add("check", "patterns", """
            check captures/*/*.bvh
            check 'captures/**/1*.bvh' captures/none --json
        """, FOLDER)

    def convert(self):
        options = lines("""
            --fps 30
            --fps 24
            --fps 100.5
            --trim 0.2:1.0
            --trim 3f:40f
            --trim :0.5
            --mirror
            --reverse
            --speed 1.5
            --speed 0.7
            --scale 2
            --scale auto --unit m
            --scale auto --unit cm
            --scale auto --unit in
            --up z
            --up y
            --root-motion extract
            --root-motion in-place
            --tpose drop
            --tpose keep
            --retarget sample#walk
            --fps 48 --mirror --trim 0.1:2 --up z
            --reverse --speed 2 --scale 0.01 --root-motion extract
            --retarget sample#walk --fps 30 --mirror
            --offset add
            --source-up z
            --source-unit in
            --source-fps 25
            --take 1
            --fps 0
            --speed -1
            --trim 5:2
        """)
        for number, capture in self.inputs("convert", "convert {a} out.bvh"):
            trim = " --trim 0:20" if capture.seconds > LONG_S else ""
            for ending in WRITTEN:
                self.add("convert", ending, f"convert {{a}} out.{ending}{trim}", capture)
            self.add("convert", "json", f"convert {{a}} out.glb --json{trim}", capture)
            for at, option in enumerate(options):
                # Every option meets every format; BVH every second time.
                ending = "bvh" if (number + at) % 2 == 0 else WRITTEN[(number // 2 + at) % len(WRITTEN)]
                as_json = " --json" if (number + at) % 3 == 0 else ""
                self.add("convert", option, f"convert {{a}} out.{ending} {option}{as_json}", capture)
        for number, capture, other in self.neighbours(max(1, len(self.readable) // 3)):
            ending = ["bvh", "glb", "vrma"][number % 3]
            self.add("convert", "retarget", f"convert {{a}} out.{ending} --retarget {{b}}", capture, other)
        for capture in self.readable[::5]:
            self.add("convert", "stdout", """
                convert {a} - --to glb
                convert {a} -
                convert {a} - --json
            """, capture)
            self.add("convert", "stdin", "convert - out.bvh\nconvert - - --to csv", capture, stdin="{a}")
            self.add("convert", "again", """
                convert {a} one.glb
                convert one.glb two.bvh
                convert two.bvh three.glb
                convert one.glb four.vrma
                convert two.bvh five.trc
                convert five.trc six.bvh
                convert four.vrma seven.bvh
            """, capture)
        for folder in sorted({os.path.dirname(capture.name) for capture in self.captures}):
            path = shlex.quote(os.path.join("captures", folder))
            self.add("convert", f"folder {folder}", f"""
                convert {path} -o out --mirror --fps 30
                convert {path} -o glb --to glb --trim 0:1 --json
            """, FOLDER)
        for capture in self.captures:
            for skeleton in self.others:
                if (capture.ending, skeleton.ending) == ("amc", "asf"):
                    self.add("convert", "asf", """
                        convert {a} out.bvh --asf {b}
                        info {a} --asf {b} --json
                    """, capture, skeleton)
        self.add("convert", "database", """
            convert all.ugoki#id:1 a.glb
            convert 'all.ugoki#1*' -o out --to bvh
            convert sample#walk b.bvh --json
            convert 'sample#walk*' -o sample --to vrma
            convert all.ugoki out.bvh
        """, fixtures=ALL)
        self.add("convert", "odd files", """
            convert odd.bvh out.bvh
            convert odd.bvh out.glb --json
            convert empty.bvh out.bvh
            convert garbage.bvh out.bvh --json
        """, texts=ODD)
        self.add("convert", "usage", """
            convert
            convert odd.bvh
            convert odd.bvh odd.bvh odd.bvh
            convert odd.bvh out.fbx
            convert odd.bvh out.ugoki
            convert odd.bvh out.xyz --json
            convert odd.bvh no/such/out.bvh
            convert odd.bvh out.bvh --to glb
            convert odd.bvh out --scale x
            convert none.bvh out.bvh
            convert odd.bvh -o out --to fbx
            convert odd.bvh out.bvh --trim x:y
            convert odd.bvh out.bvh --retarget none.bvh
            convert odd.bvh odd.bvh
        """, texts=ODD)

    def plant(self):
        for number, capture in self.inputs("plant", "plant {a} out.bvh"):
            ending = ["glb", "bvh", "csv", "vrma"][number % 4]
            self.add("plant", "text", "plant {a} out.bvh", capture)
            self.add("plant", "json", f"plant {{a}} out.{ending} --json", capture)
            if number % 5 == 0:
                self.add("plant", "without T-pose", "plant {a} out.bvh --tpose drop", capture)
        self.add("plant", "usage", """
            plant odd.bvh
            plant odd.bvh out.bvh
            plant odd.bvh odd.bvh --json
            plant none.bvh out.bvh
        """, texts=ODD)

    def render(self):
        views = ["front", "side", "three-quarter"]
        for number, capture in self.inputs("render", "render {a} out.png"):
            trim = " --trim 0:10" if capture.seconds > LONG_S else ""
            one, two, three = (f"--view {views[(number + at) % 3]}{trim}" for at in range(3))
            self.add("render", "png", f"render {{a}} out.png --size 240 --frames 6 {one}", capture)
            self.add("render", "svg", f"render {{a}} out.svg --frames 5 {two} --json", capture)
            self.add("render", "gif", f"render {{a}} out.gif --size 96x80 --frames 6 {three}", capture)
            if number % 8 == 0:
                self.add("render", "default", f"render {{a}} out.png{trim}\nrender {{a}} out.svg{trim}", capture)
                self.add("render", "trim", "render {a} out.png --size 200 --trim 2f:12f", capture)
        for capture in self.readable[::10] + self.samples[::3]:
            self.add("render", "forces", """
                react {a} out.bvh --push 0.4,chest,0,0,30 --load 6@chest --report r.json
                render out.bvh f.png --forces r.json --frames 4 --size 300
                render out.bvh f.svg --forces r.json --frames 3
                render out.bvh f.gif --forces r.json --frames 4 --size 120 --target {a}
            """, capture)
        self.add("render", "usage", """
            render odd.bvh out.jpg
            render odd.bvh out.png --size 0
            render odd.bvh out.png --view top
            render odd.bvh out.png --frames 0
            render none.bvh out.png --json
            render odd.bvh out.png --forces none.json
            render odd.bvh out.png
        """, texts=ODD)

    def filter(self):
        kernels = ["box:5", "box:51", "gauss:1.5", "gauss:4", "binomial:9", "savgol:11,3", "taps:1,2,1",
                   "taps:-1,4,10,4,-1"]
        methods = ["exact", "expmap", "qlerp", "leeshin", "qlerp-raw", "log-raw"]
        edges = ["copy", "reflect", "clamp", "truncate"]
        mixes = [f"--kernel {kernel} --method {method} --edge {edge}{despike}"
                 for kernel in kernels for method in methods for edge in edges for despike in ("", " --despike")]
        for number, capture in self.inputs("filter", "filter {a} out.bvh --kernel box:5"):
            for at in range(8):
                # 61 and the number of mixes, 384, have no common factor: all mixes are used.
                mix = mixes[(number * 8 + at) * 61 % len(mixes)]
                ending = ["bvh", "bvh", "glb", "csv"][at % 4]
                as_json = " --json" if at % 2 else ""
                self.add("filter", mix, f"filter {{a}} out.{ending} {mix}{as_json}", capture)
            self.add("filter", "despike", """
                filter {a} out.bvh --despike
                filter {a} out.glb --despike --json
            """, capture)
        self.add("filter", "usage", """
            filter sample#walk out.bvh
            filter sample#walk out.bvh --kernel box:4
            filter sample#walk out.bvh --kernel box:999 --json
            filter sample#walk out.bvh --kernel what:3
            filter sample#walk out.bvh --kernel savgol:5,9
            filter sample#walk out.bvh --kernel taps:0,0
            filter odd.bvh out.bvh --kernel box:3
            filter none.bvh out.bvh --kernel box:3
        """, texts=ODD)

    def equalize(self):
        parts = ["upper", "lower", "torso", "head", "left-arm", "right-arm", "left-leg", "right-leg"]
        for number, capture in self.inputs("equalize", "equalize {a} out.bvh --gains 1,2"):
            part = parts[number % len(parts)]
            self.add("equalize", "text", "equalize {a} out.bvh --gains 1,1,0.5", capture)
            self.add("equalize", "json", "equalize {a} out.glb --gains 2,1.5,1,1,0.5,0.2,0 --json", capture)
            self.add("equalize", part, f"equalize {{a}} out.bvh --gains 1,1,1.8,1.4,-0.5 --part {part}", capture)
        self.add("equalize", "usage", """
            equalize sample#walk out.bvh
            equalize sample#walk out.bvh --gains x
            equalize sample#walk out.bvh --gains 1 --part tail --json
            equalize sample#walk out.bvh --gains 1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1
            equalize odd.bvh out.bvh --gains 1,2
        """, texts=ODD)

    def segment(self):
        options = lines("""
            --rest 0.2 --merge 0.1
            --max 1.0 --quiet 0.3
            --duration 0.5 --peak 1
            --pause 0.5 --smooth 0.1
            --group bat=rightHand,rightLowerArm
            --group tail=hips --group bat=leftHand
            --smooth 0
            --rest 2
        """)
        for number, capture in self.inputs("segment", "segment {a}"):
            option = options[number % len(options)]
            self.add("segment", "text", "segment {a}", capture)
            self.add("segment", "pieces", "segment {a} -o pieces --plot plot.svg --json", capture)
            self.add("segment", "options", f"segment {{a}} {option} --plot plot.svg", capture)
        self.add("segment", "usage", """
            segment none.bvh
            segment odd.bvh --json
            segment sample#walk -o odd.bvh
            segment sample#walk --plot plot.png
            segment sample#walk --group x=y
            segment sample#walk --rest -1
        """, texts=ODD)

    def loop(self):
        options = lines("""
            --range 5f:60f
            --range 0.2:1.3 --in-place
            --feet seams --blend 0.1
            --blend 0
            --range 1:0.5
            --cycles 0
        """)
        for number, capture in self.inputs("loop", "loop {a} out.bvh", expensive=True):
            option = options[number % len(options)]
            self.add("loop", "text", "loop {a} out.bvh", capture)
            self.add("loop", "longest", "loop {a} out.glb --longest --json", capture)
            self.add("loop", "cycles", "loop {a} out.glb --cycles 3 --in-place", capture)
            self.add("loop", "options", f"loop {{a}} out.bvh {option} --json", capture)
        self.add("loop", "usage", """
            loop sample#walk
            loop odd.bvh out.bvh
            loop sample#walk out.bvh --range 1:2 --longest
            loop odd.bvh odd.bvh --json
        """, texts=ODD)

    def walk(self):
        options = lines("""
            --turn 60 --count 8
            --turn -90 --stride 0.6 --count 5
            --stride 0.7:0.3 --count 8
            --stride 3 --count 4 --clamp
        """)
        for number, capture in self.inputs("walk", "walk {a} -o out.bvh", expensive=True):
            option = options[number % len(options)]
            self.add("walk", "own steps", "walk {a} -o out.bvh", capture)
            self.add("walk", "stride", "walk {a} -o out.bvh --stride 0.5 --count 6 --json", capture)
            self.add("walk", "options", f"walk {{a}} -o out.glb {option}", capture)
            self.add("walk", "steps", """
                walk {a} -o out.bvh --steps steps.json --clamp --json
                walk {a} -o right.bvh --steps right.json --clamp
                walk {a} -o exact.bvh --steps steps.json
            """, capture, texts=STEPS)
        self.add("walk", "database", """
            walk all.ugoki -o a.bvh --stride 0.5 --count 6
            walk all.ugoki -o b.bvh --turn 45 --json
        """, fixtures=ALL)
        self.add("walk", "database steps", """
            walk all.ugoki -o a.bvh --steps steps.json
            walk all.ugoki -o b.bvh --steps right.json --clamp --json
        """, texts=STEPS, fixtures=ALL)
        self.add("walk", "sample", """
            walk sample -o a.bvh --stride 0.6 --count 5
            walk sample -o b.bvh --steps steps.json --json
        """, texts=STEPS)
        self.add("walk", "usage", """
            walk sample#walk -o out.bvh --steps broken.json
            walk sample#walk -o out.bvh --steps none.json
            walk sample#walk -o out.bvh --steps twice.json
            walk sample#walk -o out.bvh --steps words.json --json
            walk sample#walk -o out.bvh --steps missing.json --json
            walk sample#walk -o out.bvh --stride x
            walk sample#walk -o out.bvh --turn nan
            walk sample#walk -o out.bvh --count 0
            walk sample#walk --count 3
            walk odd.bvh -o out.bvh
        """, texts={**ODD, **STEPS})

    def react(self):
        pushes = ["0.5,chest,0,0,40", "0.3,leftUpperArm,-25,0,0", "0.8,hips,30,0,10", "0.2,head,0,0,-15"]
        for number, capture in self.inputs("react", "react {a} out.bvh", expensive=True):
            push = pushes[number % len(pushes)]
            self.add("react", "load", "react {a} out.bvh --load 8@chest --report r.json", capture)
            self.add("react", "push", f"react {{a}} out.bvh --push {push} --report r.csv --plot r.svg", capture)
            self.add("react", "control off",
                     "react {a} out.glb --load 5@leftHand:0,-0.1,0 --control off --strict --json", capture)
            if number % 2 == 0:
                model = ["xml", "urdf"][number // 2 % 2]
                self.add("react", "throw",
                         f"react {{a}} out.bvh --throw balls.json --report r.json --export-body body.{model}",
                         capture, texts=BODIES)
            else:
                self.add("react", "body", "react {a} out.bvh --body body.toml --mass 70 --load 3@rightHand --json",
                         capture, texts=BODIES)
        self.add("react", "usage", """
            react sample#squat out.bvh --load 8
            react sample#squat out.bvh --load 8@tail
            react sample#squat out.bvh --push 1,chest,0,0
            react sample#squat out.bvh --throw broken.json --json
            react sample#squat out.bvh --body broken.toml
            react sample#squat out.bvh --report r.txt
            react sample#squat out.bvh --mass 1
            react sample#squat out.bvh --plot r.png
            react sample#squat out.bvh --export-body b.obj
            react sample#squat x.csv --report ./x.csv
            react odd.bvh out.bvh
            react none.bvh out.bvh
        """, texts={**ODD, **BODIES})

    # -- Several motions in --------------------------------------------------------------------------------

    def compare(self):
        for capture in self.readable + self.samples:
            self.add("compare", "itself", "compare {a} {a}\ncompare {a} {a} --json", capture)
        for _, capture, other in self.neighbours():
            self.add("compare", "next", "compare {a} {b} --json", capture, other)
            self.add("compare", "strict", "compare {a} {b} --strict", capture, other)
        for _, capture, other in self.neighbours(max(2, len(self.readable) // 2)):
            self.add("compare", "far", "compare {a} {b}", capture, other)
        for capture in self.readable[::3]:
            self.add("compare", "changed", """
                convert {a} b.bvh --fps 40 --speed 1.1
                compare {a} b.bvh --json
                compare b.bvh {a}
            """, capture)
        self.add("compare", "stats", """
            compare sample#walk sample#walk-fast --stats stats.json --json
            compare sample#walk sample#walk --stats broken.json
            compare sample#walk sample#walk --stats short.json --json
        """, texts=STATS)
        self.add("compare", "usage", """
            compare odd.bvh
            compare odd.bvh none.bvh
            compare odd.bvh sample#walk --json
        """, texts=ODD)

    def blend(self):
        weights = ["0.3,0.7", "0:1/0.8:0,0:0/0.8:1", "1,-0.2", "10f:1/40f:0,1"]
        for number, capture, other in self.neighbours():
            weight = weights[number % len(weights)]
            strict = " --strict" if number % 3 == 0 else ""
            self.add("blend", "next", "blend {a} {b} -o out.bvh", capture, other)
            self.add("blend", "weights", f"blend {{a}} {{b}} -o out.glb --weights {weight} --json", capture, other)
            self.add("blend", "not aligned", f"blend {{a}} {{b}} -o out.bvh --align none{strict}", capture, other)
        for trio in self.trios():
            self.add("blend", "three", "blend {a} {b} {c} -o out.bvh --weights 1,2,1 --json", *trio)
        for one, two in zip(self.samples, self.samples[1:]):
            self.add("blend", "samples", "blend {a} {b} -o out.bvh", one, two)
        self.add("blend", "usage", """
            blend sample#walk -o out.bvh
            blend -o out.bvh
            blend sample#walk sample#run -o out.bvh --weights 1
            blend sample#walk odd.bvh -o out.bvh --json
            blend sample#walk sample#run -o out.fbx
            blend sample#walk sample#run -o out.bvh --weights 0,0
        """, texts=ODD)

    def splice(self):
        options = ["--blend 0.4 --trim 0", "--feet seams", "--strict", "--blend 0"]
        for number, capture, other in self.neighbours():
            option = options[number % len(options)]
            self.add("splice", "next", "splice {a} {b} -o out.bvh", capture, other)
            self.add("splice", "options", f"splice {{a}} {{b}} -o out.glb {option} --json", capture, other)
        for trio in self.trios():
            self.add("splice", "three", "splice {a} {b} {c} {a} -o out.bvh", *trio)
        for one, two in zip(self.samples, self.samples[1:]):
            self.add("splice", "samples", "splice {a} {b} {a} -o out.bvh --json", one, two)
        self.add("splice", "usage", """
            splice sample#walk -o out.bvh
            splice -o out.bvh
            splice odd.bvh sample#walk -o out.bvh
            splice sample#walk none.bvh -o out.bvh --json
            splice sample#walk sample#run -o out.bvh --blend -1
        """, texts=ODD)

    def perform(self):
        # An actor, an imitation and a performance of the same script.
        scripts = lines("""
            10_01 10_02 10_03
            10_03 10_05 10_01
            64_01 64_03 64_05
            64_05 64_07 64_01
            124_01 124_02 124_01
            24_01 26_04 29_08
            79_08 80_10 79_08
            79_18 80_13 79_17
            22_14 23_14 22_14
            49_14 49_17 49_14
            111_37 141_16 111_37
            35_05 35_10 35_34
            16_01 13_39 16_03
            115_01 115_02 115_06
            02_01 08_02 35_32
            humanoid3d_kick humanoid3d_punch 10_01
        """)
        for number, script in enumerate(scripts):
            takes = self.find(*script.split())
            if not takes:
                self.skip("perform", "scripts whose takes are not among the captures")
                continue
            for pair in ["lag", "dtw"]:
                as_json = ["--json" if (at + number) % 2 else "" for at in range(6)]
                commands = f"perform learn {{a}} {{b}} -o m.ugoki --pair {pair} --plot plot.svg {as_json[pair == 'dtw']}"
                for at, method in enumerate(["follow", "paper", "dp"]):
                    commands += f"""
                        perform run m.ugoki --input {{c}} --output {method}.bvh --method {method} {as_json[at]}
                        perform recognize m.ugoki --input {{c}} --method {method} {as_json[at + 1]}"""
                commands += """
                    perform run m.ugoki --input {b} --output b.glb --amount 0.5 --mirror=no
                    perform recognize m.ugoki --input {b} --unknown 1 --mirror --json
                    db list m.ugoki --json"""
                self.add("perform", pair, commands, *takes)
        for number, capture, other in self.neighbours():
            if number % 3 == 0:
                self.add("perform", "next", """
                    perform learn {a} {b} -o m.ugoki
                    perform learn {a} {a} -o m.ugoki --json
                    perform recognize m.ugoki --input {b} --json
                """, capture, other)
        for one, two in zip(self.samples[::2], self.samples[1::2]):
            self.add("perform", "samples", """
                convert {a} my.bvh --speed 1.1
                convert {b} your.bvh --speed 0.9 --mirror
                perform learn {a} my.bvh {b} your.bvh -o m.ugoki --pair dtw
                splice my.bvh your.bvh -o both.bvh
                perform run m.ugoki --input both.bvh --output shown.bvh --json
                perform recognize m.ugoki --input both.bvh
                perform learn {a} {a} -o m.ugoki
                db list m.ugoki --json
            """, one, two)
        self.add("perform", "live output", """
            convert sample#front-kick kick.bvh
            perform learn kick.bvh kick.bvh -o m.ugoki
            convert kick.bvh short.bvh --trim 0.4:1.2
            perform run m.ugoki --input short.bvh --output vmc:127.0.0.1:{port} --json
        """)
        for capture in self.readable[::40]:
            self.add("perform", "stdin", """
                perform recognize m.ugoki --input -
                perform run m.ugoki --input - --output out.bvh --json
                perform run m.ugoki --input - --output - --buffer 5
            """, capture, fixtures={"m.ugoki": "model"}, stdin="{a}")
        self.add("perform", "model of the reference", """
            perform run m.ugoki --input sample#front-kick --output out.bvh --json
            perform run m.ugoki#bow --input sample#front-kick --output bow.bvh
            perform recognize m.ugoki --input sample#bow --json
            db list m.ugoki --json
        """, fixtures={"m.ugoki": "reference model"})
        self.add("perform", "usage", """
            perform
            perform learn sample#walk -o m.ugoki
            perform learn sample#walk sample#run
            perform learn sample#front-kick sample#idle -o m.ugoki --json
            perform learn sample#walk odd.bvh -o m.ugoki
            perform run none.ugoki --input sample#walk --output out.bvh
            perform run sample --input sample#walk --output out.bvh
            perform run m.ugoki --input sample#walk --output out.bvh --amount -1
            perform run m.ugoki --input vmc:39539 --output vmc:39539
            perform recognize none.ugoki --input sample#walk --json
        """, texts=ODD)
        self.skip("perform", "runs with live input: the result depends on the clock")

    # -- Databases -----------------------------------------------------------------------------------------

    def database(self):
        for capture in self.captures:
            self.add("db", "add", """
                db add one.ugoki {a} --json
                db list one.ugoki --json
                db show one.ugoki --json
                db show one.ugoki id:1 --json
                db show one.ugoki id:1
                db export one.ugoki -o out
                db export one.ugoki -o source --source --json
                db check one.ugoki --json
            """, capture)
        for capture in self.readable[::6]:
            self.add("db", "skeleton", """
                db create own.ugoki --skeleton {a} --fps 30
                db add own.ugoki {a} --tag mine
                db add own.ugoki again
                db list own.ugoki
                db show own.ugoki --json
                db export own.ugoki -o out --to glb
                db check own.ugoki
            """, capture, texts={"again/odd.bvh": ODD_BVH})
        self.add("db", "empty", """
            db create new.ugoki
            db create new.ugoki
            db list new.ugoki
            db list new.ugoki --json
            db show new.ugoki
            db show new.ugoki --json
            db check new.ugoki
            db export new.ugoki -o out
            db remove new.ugoki '*'
            db create new.db
            db create other.ugoki --fps -1 --json
            db create fast.ugoki --fps 120 --json
            db show fast.ugoki
        """)
        self.add("db", "add all", """
            db add new.ugoki captures
            db add new.ugoki captures --json
            db list new.ugoki --json
            db show new.ugoki --json
            db check new.ugoki --json
        """, FOLDER)
        self.add("db", "add all with one thread", """
            db add new.ugoki captures --json --license CC0 --tag a --tag b
            db list new.ugoki --json
        """, FOLDER)
        self.add("db", "list", """
            db list all.ugoki
            db list all.ugoki --json
            db list all.ugoki --tag walk
            db list all.ugoki --tag walk --tag '!turn-left' --speed 1:1.5 --json
            db list all.ugoki '1*' --length 2:10
            db list all.ugoki --duplicates --json
            db list all.ugoki --length :1
            db list all.ugoki none
            db list all.ugoki --tag none --json
            db list all.ugoki --length x
            db list none.ugoki
            db list sample --json
        """, fixtures=ALL)
        ids = [f"id:{number}" for number in range(1, len(self.clips["all"]) + 1)]
        for at in range(0, len(ids), 40):
            some = " ".join(ids[at:at + 40])
            self.add("db", f"show from {at + 1}", f"db show all.ugoki {some} --json\ndb show all.ugoki {some}",
                     fixtures=ALL)
        self.add("db", "show", """
            db show all.ugoki
            db show all.ugoki --json
            db show all.ugoki none
            db show all.ugoki id:9999 --json
            db show sample walk --json
        """, fixtures=ALL)
        self.add("db", "tag", """
            db tag all.ugoki id:1 id:2 --add mine --add second
            db tag all.ugoki '1*' --add mine --json
            db tag all.ugoki id:1 --remove mine
            db list all.ugoki --tag mine --json
            db show all.ugoki id:1 --json
            db tag all.ugoki id:1
            db tag all.ugoki none --add x
            db tag sample walk --add x
        """, fixtures=ALL)
        self.add("db", "remove", """
            db remove all.ugoki id:1 --json
            db remove all.ugoki '1*'
            db list all.ugoki --json
            db remove all.ugoki
            db remove all.ugoki none
            db add all.ugoki captures
            db remove all.ugoki --tag walk --json
            db remove all.ugoki --length 5:
            db check all.ugoki
            db show all.ugoki --json
            db list all.ugoki
        """, FOLDER, fixtures=ALL)
        self.add("db", "check", """
            db check all.ugoki
            db check all.ugoki --json
            db check all.ugoki --repair --json
            db check sample
            db check odd.bvh
        """, fixtures=ALL, texts=ODD)
        for ending in WRITTEN:
            self.add("db", f"export {ending}", f"db export all.ugoki --length :4 -o out --to {ending}", fixtures=ALL)
            self.add("db", f"export sample {ending}", f"db export sample -o out --to {ending} --json")
        self.add("db", "export", "db export all.ugoki -o out --json", fixtures=ALL)
        self.add("db", "export source", "db export all.ugoki -o out --source", fixtures=ALL)
        self.add("db", "export one", """
            db export all.ugoki id:1 -o one.bvh
            db export all.ugoki id:1 -o one.glb --source --json
            db export all.ugoki id:1 -o -
            db export all.ugoki --tag walk -o walks
            db export all.ugoki -o one.bvh
            db export all.ugoki none -o x.bvh
            db export all.ugoki id:1 -o one.bvh --to glb
            db export all.ugoki id:1 -o out --to fbx
        """, fixtures=ALL)
        # Both read a database that REFERENCE made.
        self.add("db", "database of the reference", f"""
            db list old.ugoki --json
            db show old.ugoki --json
            db show old.ugoki {' '.join(ids[:20])} --json
            db check old.ugoki --json
            db export old.ugoki -o out --length :3
            db tag old.ugoki id:1 --add x --json
            db list old.ugoki --tag x
        """, fixtures={"old.ugoki": "reference all"})
        self.add("db", "usage", """
            db
            db what
            db add
            db add new.ugoki none.bvh
            db add new.ugoki garbage.bvh
            db add sample odd.bvh
            db add new.db odd.bvh --json
            db add new.ugoki odd.bvh empty.bvh
            db list new.ugoki
        """, texts=ODD)

    def network(self):
        options = lines("""
            --json
            --layer upper --plot net.svg
            --layer lower --threshold 0.08 --json
            --layer full --json
            --layers head-arms-legs --json
            --layers full --plot net.svg
            --most 10 --json
            --interior --json
            --interior=0.1
            --whole --json --plot net.svg
            --bpm 100 --json
            --threshold 0.01
            --layers layers.toml --json
            --threshold 0.0000001 --json
            --layer none
            --layers none
            --threshold -1
            --plot net.png
        """)
        self.add("network", "sample", "network sample")
        self.add("network", "all", "network all.ugoki", fixtures=ALL)
        for at, option in enumerate(options):
            self.add("network", f"sample {option}", f"network sample {option}", texts=TIMELINES)
            if at < 10:
                self.add("network", f"all {option}", f"network all.ugoki {option}", fixtures=ALL)
        self.add("network", "kept", """
            network all.ugoki --json
            network all.ugoki --json
            db remove all.ugoki id:1 id:2
            network all.ugoki --json
            db show all.ugoki --json
        """, fixtures=ALL)
        self.add("network", "network of the reference", """
            network old.ugoki --json
            network old.ugoki --layer upper
        """, fixtures={"old.ugoki": "reference all"})
        self.add("network", "usage", """
            network
            network none.ugoki
            network odd.bvh
            db create new.ugoki
            network new.ugoki --json
        """, texts=ODD)

    def compose(self):
        options = lines("""
            --candidates 8
            --json --candidates 3
            --method paths
            --method paths --candidates 3 --json
            --seed 1
            --seed 7 --candidates 12 --no-page
            --generations 50 --population 40
            --format glb --candidates 2
            --format vrma --candidates 2
            --interior --candidates 4
            --bpm 100 --candidates 4
            --want gesture --avoid walk --candidates 4
            --direction 90 --candidates 4
            --climb --candidates 4 --repetition 0
            --weights 1,2,3 --candidates 4
            --valid 0.5 --candidates 4
            --distance 0.6 --candidates 4
            --blend 0.1 --candidates 2
            --threshold 0.02 --candidates 4
        """)
        for option in options:
            self.add("compose", f"show {option}", f"compose sample show.toml -o out {option}", texts=TIMELINES)
        wide = lines("""
            --layers full --candidates 4
            --layers head-arms-legs --candidates 3
            --layers layers.toml --candidates 3
            --whole --candidates 4
            --most 60 --candidates 4
            --most 20 --candidates 2
            --interior=0.3 --most 20 --candidates 2
        """)
        for option in wide:
            self.add("compose", f"wide {option}", f"compose sample wide.toml -o out {option}", texts=TIMELINES)
        for timeline in ["song.toml", "beat.toml", "beats.toml", "tag.toml", "show.json"]:
            self.add("compose", timeline, f"compose sample {timeline} -o out --candidates 4 --json", texts=TIMELINES)
        self.add("compose", "lyrics", """
            compose sample plain.toml -o out --lyrics song.lrc --gestures words.toml --gesture-layer upper
        """, texts=TIMELINES)
        self.add("compose", "usage", """
            compose sample broken.toml -o out
            compose sample unknown.toml -o out
            compose sample near.toml -o out
            compose sample layer.toml -o out
            compose sample none.toml -o out --json
            compose sample show.toml -o out --threshold 0.0000001
            compose sample show.toml
            compose none.ugoki show.toml -o out
            compose sample show.toml -o show.toml
            compose sample show.toml -o out --want none
            compose sample show.toml -o out --format fbx
            compose sample show.toml -o out --gestures words.toml
        """, texts=TIMELINES)
        # Key motions from the captures: three clips of 1 to 6 s, spread over the list.
        for database, choices in [("some", ["--candidates 4", "--seed 3 --json", "--method paths"]),
                                  ("all", ["--candidates 2"])]:
            keys = [name for name, seconds, derived in self.clips[database] if derived and 1 <= seconds <= 6]
            if len(keys) < 4:
                self.skip("compose", "databases with fewer than 4 clips of 1 to 6 s")
                continue
            timeline = "seconds = 24\n"
            for part, at in enumerate((2, 9, 17), 1):
                timeline += f'[[key]]\nat = {at}\nclip = "{keys[len(keys) * part // 4]}"\n'
            for option in choices:
                self.add("compose", f"{database} {option}", f"compose moves.ugoki keys.toml -o out {option}",
                         texts={"keys.toml": timeline}, fixtures={"moves.ugoki": database})

    # -- Live streams, the demo, the studio, help ----------------------------------------------------------

    def stream(self):
        for capture in self.readable[::12] + self.samples[:2]:
            self.add("stream", "packets", """
                convert {a} short.bvh --trim 0.2:0.9 --tpose drop
                stream short.bvh --output vmc:127.0.0.1:{port} --json
                stream short.bvh --output vmc:127.0.0.1:{port}
            """, capture)
        self.add("stream", "usage", """
            stream
            stream sample#walk
            stream sample#walk --output what
            stream sample#walk --output vmc:99999
            stream none.bvh --output vmc:39539 --json
            stream odd.bvh --output vmc:39539
            stream garbage.bvh --output vmc:39539
        """, texts=ODD)
        self.add("record", "usage", """
            record
            record --input vmc:39541
            record --input what -o out.bvh
            record --input vmc:0x -o out.bvh --json
            record --input vmc:39541 -o out.bvh --fps 0
            record --input vmc:39541 -o out.bvh --fps nan --json
            record --input vmc:39541 -o out.bvh --buffer 9999
            record --input vmc:99999 -o out.bvh
        """)
        self.skip("record", "recordings: arrival times depend on the clock; only errors are compared")

    def demo(self):
        self.add("demo", "files", """
            demo out
            db list out/moves.ugoki --json
            db show out/moves.ugoki --json
            db export out/moves.ugoki -o clips
            check out --json
        """)
        self.add("demo", "json", "demo out --json\ndemo out/index.html\ndemo")

    def studio(self):
        self.add("studio", "usage", "studio --port x\nstudio a b c\nstudio --what --json")
        self.skip("studio", "the running studio: only help and errors are compared")

    def help(self):
        verbs = ["info", "check", "convert", "plant", "compare", "render", "filter", "equalize", "blend", "loop",
                 "splice", "segment", "perform", "perform learn", "perform run", "perform recognize", "stream",
                 "record", "react", "walk", "network", "compose", "db", "db create", "db add", "db list", "db show",
                 "db tag", "db remove", "db check", "db export", "studio", "demo"]
        for verb in verbs:
            self.add("help", verb, f"{verb} --help\n{verb} -h", informational=True)
        self.add("help", "all verbs", "--help\n-h\n--version\nwhat\n--json\nwhat --json", informational=True)
        self.add("help", "no verb", "", informational=True)

    def build(self):
        # The expensive ones first, so that no worker is idle at the end.
        for group in [self.demo, self.compose, self.network, self.database, self.perform, self.stream, self.react,
                      self.walk, self.render, self.info, self.convert, self.plant, self.compare, self.filter,
                      self.equalize, self.blend, self.segment, self.loop, self.splice, self.studio, self.help]:
            group()
        return self.cases


# ---------------------------------------------------------------------------------------------------------
# Running

SIDES = ("a", "b")  # REFERENCE and NEW; names of the same length, so that texts are aligned alike
SETUP = None  # in the worker processes


@dataclass
class Setup:
    """What the workers need."""

    root: str
    captures: str  # the original folder
    keep: str | None
    versions: tuple[str, str]

    def binary(self, side):
        # Both are called `ugoki`: help and messages contain the program's name.
        return os.path.join(self.root, "bin", side, "ugoki")

    def home(self, side):
        return os.path.join(self.root, "home", side)

    def environment(self, side):
        home = self.home(side)
        return {
            "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "TZ": "UTC", "TERM": "dumb", "NO_COLOR": "1",
            "COLUMNS": "100", "HOME": home, "XDG_CACHE_HOME": f"{home}/cache", "TMPDIR": f"{home}/tmp",
        }

    def fixture(self, side, name):
        """A prepared database: the side's own, or with "reference " in front the one that REFERENCE made."""
        if name.startswith("reference "):
            side, name = SIDES[0], name.removeprefix("reference ")
        return os.path.join(self.root, "fixtures", side, f"{name}.ugoki")


class Packets:
    """Collects the packets that arrive at a free UDP port of this machine."""

    def __init__(self):
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 8 << 20)
        self.socket.bind(("127.0.0.1", 0))
        self.socket.settimeout(0.1)
        self.port = self.socket.getsockname()[1]
        self.received = []
        self.ended = False
        self.thread = threading.Thread(target=self.listen, daemon=True)
        self.thread.start()

    def listen(self):
        while True:
            try:
                self.received.append(self.socket.recv(65536))
            except TimeoutError:
                if self.ended:
                    return

    def finish(self):
        self.ended = True
        self.thread.join()
        self.socket.close()
        return b"".join(len(packet).to_bytes(4, "little") + packet for packet in self.received)


class Result(NamedTuple):
    """What a command did."""

    code: int | str
    out: bytes
    err: bytes
    packets: bytes | None


def run_step(setup, side, step, folder):
    packets = Packets() if any("{port}" in arg for arg in step.args) else None
    args = [arg.replace("{port}", str(packets.port)) for arg in step.args] if packets else step.args
    if side == SIDES[1]:
        args = [next((new for verb, old, new in RENAMED if (verb, old) == (step.args[0], arg)), arg) for arg in args]
    given = open(os.path.join(folder, step.stdin), "rb") if step.stdin else None
    process = subprocess.Popen(
        [setup.binary(side), *args], cwd=folder, env=setup.environment(side), start_new_session=True,
        stdin=given or subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        out, err = process.communicate(timeout=TIMEOUT_S)
        code = process.returncode
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        out, err = process.communicate()
        code = "timed out"
    if given:
        given.close()
    sent = packets.finish() if packets else None

    def normalised(text):
        # The folders of the side and the port differ by design.
        text = text.replace(os.path.dirname(folder).encode(), b"<FOLDER>")
        text = text.replace(setup.home(side).encode(), b"<HOME>")
        if packets:
            text = text.replace(b":%d" % packets.port, b":<PORT>")
        for verb, pattern, replacement in CLOCK:
            if step.args[:1] == (verb,):
                text = re.sub(pattern, replacement, text)
        return text

    return Result(code, normalised(out), normalised(err), sent)


def run_side(setup, side, case, folder):
    """Runs a case in a fresh folder; returns results, written files and seconds."""
    inside = os.path.join(folder, side, "w")
    os.makedirs(inside)
    for name, target in case.links.items():
        os.symlink(target, os.path.join(inside, name))
    for name, text in case.texts.items():
        path = os.path.join(inside, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8", newline="") as file:
            file.write(text)
    for name, fixture in case.fixtures.items():
        prepared = setup.fixture(side, fixture)
        if os.path.exists(prepared):
            shutil.copyfile(prepared, os.path.join(inside, name))
    begun = time.monotonic()
    results = [run_step(setup, side, step, inside) for step in case.steps]
    seconds = time.monotonic() - begun
    files = {}
    for where, folders, names in os.walk(inside):
        folders[:] = [name for name in folders if not os.path.islink(os.path.join(where, name))]
        for name in names:
            path = os.path.join(where, name)
            if os.path.islink(path):
                continue
            # Of databases only the existence is compared here.
            content = b""
            if not DATABASE.search(name):
                with open(path, "rb") as file:
                    content = file.read()
            files[os.path.relpath(path, inside)] = content
    for number, result in enumerate(results, 1):
        if result.packets is not None:
            files[f"packets of step {number}"] = result.packets
    return results, files, seconds


# ---------------------------------------------------------------------------------------------------------
# Comparing


@dataclass
class Difference:
    case: str
    verb: str
    command: str
    part: str  # exit-code, stdout-text, stdout-json, stderr-text, file
    kind: str  # values, wording, keys, order, formatting, missing, extra
    detail: str
    reason: str | None  # why it is justified


def numbers(text):
    return re.findall(rb"[-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?", text)


def short(text, limit=180):
    return text if len(text) <= limit else text[:limit] + "…"


def first_difference(a, b):
    """The first line, or byte, in which two contents differ."""
    try:
        lines_a, lines_b = a.decode("utf-8").splitlines(), b.decode("utf-8").splitlines()
    except UnicodeDecodeError:
        at = next((at for at, (x, y) in enumerate(zip(a, b)) if x != y), min(len(a), len(b)))
        x, y = (content[at:at + 12].hex(" ") or "end" for content in (a, b))
        return f"{len(a)} and {len(b)} bytes; first difference at byte {at}:\n    - {x}\n    + {y}"
    for number, (x, y) in enumerate(zip(lines_a, lines_b), 1):
        if x != y:
            at = next((at for at, (p, q) in enumerate(zip(x, y)) if p != q), min(len(x), len(y)))
            start = max(0, at - 60)
            return f"line {number}, column {at + 1}:\n    - {short(x[start:])}\n    + {short(y[start:])}"
    if len(lines_a) != len(lines_b):
        at = min(len(lines_a), len(lines_b))
        longer, sign = (lines_a, "-") if len(lines_a) > at else (lines_b, "+")
        return f"{len(lines_a)} and {len(lines_b)} lines; line {at + 1}:\n    {sign} {short(longer[at])}"
    return "line ends differ"


def json_difference(a, b, path=""):
    """The first key path at which two documents differ: (path, a, b, kind); None when they are equal."""
    if isinstance(a, dict) and isinstance(b, dict):
        for key in [*a, *(key for key in b if key not in a)]:
            here = f"{path}.{key}" if path else key
            if key not in a or key not in b:
                return here, a.get(key, "(missing)"), b.get(key, "(missing)"), "keys"
            found = json_difference(a[key], b[key], here)
            if found:
                return found
        return None if list(a) == list(b) else (path, list(a), list(b), "order")
    if isinstance(a, list) and isinstance(b, list):
        for number, (x, y) in enumerate(zip(a, b)):
            found = json_difference(x, y, f"{path}[{number}]")
            if found:
                return found
        return None if len(a) == len(b) else (path, f"{len(a)} elements", f"{len(b)} elements", "values")
    # 0.0 and -0.0 differ, and so do 1 and 1.0.
    return None if repr(a) == repr(b) else (path, a, b, "values")


def without_keys(document, drop, words, path=""):
    """The document without the values at the key paths that match; with `words`, with their numbers."""
    if isinstance(document, dict):
        kept = {}
        for key, value in document.items():
            here = f"{path}.{key}" if path else key
            if not drop.fullmatch(here):
                kept[key] = without_keys(value, drop, words, here)
            elif words:
                kept[key] = [number.decode() for number in numbers(json.dumps(value).encode())]
        return kept
    if isinstance(document, list):
        return [without_keys(value, drop, words, path + "[]") for value in document]
    return document


def parse(text):
    try:
        return json.loads(text)
    except ValueError:
        return None


def justify(case, part, a, b, name=""):
    """Why two outputs may differ according to JUSTIFIED; None when it does not allow all of the difference."""
    used = []
    entries = [entry for entry in JUSTIFIED
               if fnmatch.fnmatch(case.verb, entry.cases) or fnmatch.fnmatch(case.id, entry.cases)]
    if part == "stdout-json":
        a, b = parse(a), parse(b)
    for entry in entries:
        if entry.part == part == "exit-code":
            used.append(entry)
            a = b = None
        elif part == "file" and entry.part in ("file", "file-words"):
            if fnmatch.fnmatch(name, entry.only or "*"):
                same_numbers = a is not None and b is not None and numbers(a) == numbers(b)
                if entry.part == "file" or same_numbers:
                    used.append(entry)
                    a = b = None
        elif part == "stdout-json" and entry.part in ("stdout-json-keys", "stdout-json-words"):
            drop, words = re.compile(entry.only or ".*"), entry.part == "stdout-json-words"
            changed = [without_keys(document, drop, words) for document in (a, b)]
            if changed != [a, b]:
                used.append(entry)
                a, b = changed
        elif part == entry.part:
            used.append(entry)
            if entry.only is None:
                a = b = b""
            elif entry.only == WORDING:
                a, b = b" ".join(numbers(a)), b" ".join(numbers(b))
            else:
                left_out = re.compile(entry.only.encode())
                a, b = ([line for line in text.split(b"\n") if not left_out.search(line)] for text in (a, b))
                a, b = b"\n".join(a), b"\n".join(b)
        same = json_difference(a, b) is None if part == "stdout-json" else a == b
        if used and same:
            return "; ".join(entry.reason for entry in used)
    return None


def compare_text(case, step, stream, a, b):
    """The difference between two texts that are not equal."""
    part, kind, detail = f"{stream}-text", "values", None
    if stream == "stdout" and "--json" in step.args and parse(a) is not None and parse(b) is not None:
        part, found = "stdout-json", json_difference(parse(a), parse(b))
        if found is None:
            kind = "formatting"
        else:
            path, x, y, kind = found
            x, y = (short(json.dumps(value, ensure_ascii=False)) for value in (x, y))
            if kind == "values" and numbers(x.encode()) == numbers(y.encode()):
                kind = "wording"
            detail = f"{path}:\n    - {x}\n    + {y}"
    elif numbers(a) == numbers(b):
        kind = "wording"
    detail = detail or first_difference(a, b)
    return Difference(case.id, case.verb, step.command(), part, kind, detail, justify(case, part, a, b))


def with_old_version(setup, content):
    """NEW's output with REFERENCE's version number where the program names itself: glTF files, databases."""
    old, new = (version.encode() for version in setup.versions)
    if content is not None and old != new and len(old) == len(new):
        content = content.replace(b"Ugoki " + new, b"Ugoki " + old)
        content = content.replace(b'"program": "%s"' % new, b'"program": "%s"' % old)
    return content


def compare_sides(setup, case, results, files):
    """All differences of a case."""
    differences = []
    for step, a, b in zip(case.steps, *results):
        if a.code != b.code or a.code == "timed out":
            detail, reason = f"{a.code} and {b.code}", justify(case, "exit-code", a.code, b.code)
            differences.append(
                Difference(case.id, case.verb, step.command(), "exit-code", "values", detail, reason))
        for stream, x, y in [("stdout", a.out, b.out), ("stderr", a.err, b.err)]:
            y = with_old_version(setup, y)
            if x != y:
                differences.append(compare_text(case, step, stream, x, y))
    for name in sorted(files[0].keys() | files[1].keys()):
        a, b = files[0].get(name), with_old_version(setup, files[1].get(name))
        if a == b:
            continue
        if a is None:
            kind, detail = "extra", f"only NEW writes {name}"
        elif b is None:
            kind, detail = "missing", f"only REFERENCE writes {name}"
        else:
            kind = "wording" if b"\0" not in a and numbers(a) == numbers(b) else "values"
            detail = f"{name}: {first_difference(a, b)}"
        reason = justify(case, "file", a, b, name)
        differences.append(Difference(case.id, case.verb, case.commands(), "file", kind, detail, reason))
    return differences


class Outcome(NamedTuple):
    """What the report says about a case."""

    number: int
    differences: list[Difference]
    codes: list  # of REFERENCE
    seconds: tuple[float, float]


def run_case(job):
    number, case = job
    folder = os.path.join(SETUP.root, "cases", f"{number:06}")
    try:
        results, files, seconds = zip(*(run_side(SETUP, side, case, folder) for side in SIDES))
        differences = compare_sides(SETUP, case, results, files)
        if SETUP.keep and any(one.reason is None for one in differences):
            keep_case(case, folder, results)
        return Outcome(number, differences, [result.code for result in results[0]], seconds)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def keep_case(case, folder, results):
    into = os.path.join(SETUP.keep, re.sub(r"[^A-Za-z0-9._=-]+", "_", case.id)[:120])
    shutil.rmtree(into, ignore_errors=True)
    for side, name, steps in zip(SIDES, ("reference", "new"), results):
        shutil.copytree(os.path.join(folder, side, "w"), os.path.join(into, name), symlinks=True)
        for link, target in case.links.items():
            path = os.path.join(into, name, link)
            if os.path.islink(path):
                os.remove(path)
                os.symlink(target.replace(os.path.join(SETUP.root, "captures"), SETUP.captures, 1), path)
        for number, result in enumerate(steps, 1):
            for ending, content in [("stdout", result.out), ("stderr", result.err)]:
                with open(os.path.join(into, f"{name}-{number}.{ending}"), "wb") as file:
                    file.write(content)
    with open(os.path.join(into, "commands.txt"), "w", encoding="utf-8") as file:
        for step, a, b in zip(case.steps, *results):
            file.write(f"{step.command()}\n  exit codes {a.code} and {b.code}\n")


def start_worker(setup):
    global SETUP
    SETUP = setup
    signal.signal(signal.SIGINT, signal.SIG_IGN)


# ---------------------------------------------------------------------------------------------------------
# The program


def prepare(options, root):
    """Copies binaries and captures; returns the setup."""
    versions = []
    for side, binary in zip(SIDES, (options.reference, options.new)):
        for folder in [f"bin/{side}", f"home/{side}/cache", f"home/{side}/tmp", f"fixtures/{side}"]:
            os.makedirs(os.path.join(root, folder))
        # A copy: a build that ends meanwhile does not change what is compared.
        shutil.copy(binary, os.path.join(root, "bin", side, "ugoki"))
        said = subprocess.run([binary, "--version"], capture_output=True, text=True, check=False).stdout
        versions.append((said.split() or [""])[-1])
    os.makedirs(os.path.join(root, "cases"))
    shutil.copytree(options.captures, os.path.join(root, "captures"))
    keep = options.keep and os.path.abspath(options.keep)
    return Setup(root, os.path.abspath(options.captures), keep, tuple(versions))


def ask(setup, side, *args, cwd=None):
    """Runs a binary to prepare something; returns its standard output as JSON, if it is."""
    done = subprocess.run(
        [setup.binary(side), *args], cwd=cwd or setup.root, env=setup.environment(side), capture_output=True,
        stdin=subprocess.DEVNULL, timeout=TIMEOUT_S, check=False)
    return parse(done.stdout) or {}


def find_inputs(setup):
    """Captures, other files and sample motions, as REFERENCE sees them."""
    top = FOLDER.links["captures"] = os.path.join(setup.root, "captures")
    captures, others = [], []
    for where, folders, names in os.walk(top):
        folders.sort()
        skeletons = {name: os.path.join(where, name) for name in names if name.lower().endswith(".asf")}
        for name in sorted(names):
            path = os.path.join(where, name)
            ending = name.rsplit(".", 1)[-1].lower()
            links = {name: path, **(skeletons if ending == "amc" else {})}
            capture = Capture(os.path.relpath(path, top), name, links)
            (captures if ending in MOTION else others).append(capture)
    for capture in captures:
        said = ask(setup, "a", "info", os.path.join(top, capture.name), "--json")
        capture.seconds = said.get("seconds") or 0.0
        capture.readable = bool(said.get("joints"))
    samples = [Capture(f"sample#{clip['name']}", f"sample#{clip['name']}", {}, clip["seconds"], True)
               for clip in ask(setup, "a", "db", "list", "sample", "--json").get("clips", [])]
    return captures, others, samples


def make_fixtures(setup, captures):
    """Builds the databases that cases start from, each binary its own; returns the clips in them.

    `all` has all captures, `some` every fourth, `model` is made by `perform learn`.
    """
    some = [os.path.join("../../captures", capture.name) for capture in captures if capture.readable][::4]
    for side in SIDES:
        folder = os.path.join(setup.root, "fixtures", side)
        ask(setup, side, "db", "list", "sample")  # builds the sample database in the cache
        ask(setup, side, "db", "add", "all.ugoki", "../../captures", cwd=folder)
        ask(setup, side, "db", "add", "some.ugoki", *some, cwd=folder)
        clips = ["sample#front-kick", "sample#front-kick", "sample#bow", "sample#bow"]
        ask(setup, side, "perform", "learn", *clips, "-o", "model.ugoki", cwd=folder)
    listed = {name: ask(setup, "a", "db", "list", setup.fixture("a", name), "--json") for name in ("all", "some")}
    return {name: [(clip["name"], clip["seconds"], clip.get("derived", True)) for clip in report.get("clips", [])]
            for name, report in listed.items()}


def choose(cases, options):
    """The cases that --verbs and --quick leave."""
    if options.verbs:
        known = {case.verb for case in cases}
        wanted = {verb.strip() for verb in options.verbs.split(",")}
        if wanted - known:
            print(f"compare_builds: no verb {', '.join(sorted(wanted - known))}; use {', '.join(sorted(known))}",
                  file=sys.stderr)
            raise SystemExit(2)
        cases = [case for case in cases if case.verb in wanted]
    if options.quick:
        # Of each verb one case in six, the same ones each time, spread over captures and options.
        groups = defaultdict(list)
        for case in cases:
            groups[case.verb].append(case)
        chosen = set()
        for group in groups.values():
            group.sort(key=lambda case: (zlib.crc32(case.id.encode()), case.id))
            chosen.update(case.id for case in group[:-(-len(group) // QUICK)])
        cases = [case for case in cases if case.id in chosen]
    return cases


def run_all(cases, setup, jobs):
    outcomes, bad, begun = [], 0, time.monotonic()
    printed = begun
    with multiprocessing.Pool(jobs, start_worker, (setup,)) as pool:
        for outcome in pool.imap_unordered(run_case, enumerate(cases)):
            outcomes.append(outcome)
            if not cases[outcome.number].informational:
                bad += any(one.reason is None for one in outcome.differences)
            if time.monotonic() - printed > 10 or len(outcomes) == len(cases):
                printed = time.monotonic()
                print(f"{len(outcomes)} of {len(cases)} cases, {bad} different, {printed - begun:.0f} s",
                      file=sys.stderr, flush=True)
    return sorted(outcomes)


def print_difference(one, file=None):
    state = f" (justified: {one.reason})" if one.reason else ""
    print(f"{one.case}\n  $ {short(one.command, 600)}\n  {one.part}, {one.kind}{state}: {one.detail}\n", file=file)


def print_table(cases, outcomes):
    """Cases, exit codes of REFERENCE and results per verb; returns the totals."""
    rows = defaultdict(Counter)
    for outcome in outcomes:
        case = cases[outcome.number]
        if not outcome.differences:
            state = "identical"
        elif case.informational:
            state = "informational"
        else:
            state = "different" if any(one.reason is None for one in outcome.differences) else "justified"
        for row in (rows[case.verb], rows["~all"]):
            row["cases"] += 1
            row["commands"] += len(outcome.codes)
            row[state] += 1
            row["reference s"] += outcome.seconds[0]
            row["new s"] += outcome.seconds[1]
            for code in outcome.codes:
                row[f"exit {code}" if code in (0, 1, 2) else "other"] += 1
    columns = ["cases", "commands", "exit 0", "exit 1", "exit 2", "other", "identical", "justified", "different",
               "reference s", "new s"]
    print(f"{'verb':<10}" + "".join(f"{column:>{len(column) + 3}}" for column in columns))
    for verb, row in sorted(rows.items()):
        note = f"   {row['informational']} differ, for information only" if row["informational"] else ""
        cells = (f"{row[column]:>{len(column) + 3}.0f}" for column in columns)
        print(f"{verb.strip('~'):<10}" + "".join(cells) + note)
    return rows["~all"]


def report(cases, outcomes, skipped, elapsed, options):
    """Prints the result; returns the exit code."""
    found = [(cases[outcome.number].informational, one) for outcome in outcomes for one in outcome.differences]
    differing = [one for informational, one in found if one.reason is None and not informational]
    groups = defaultdict(list)
    for one in differing:
        groups[one.verb, one.part, one.kind].append(one)
    for group in groups.values():
        for one in group[:options.show]:
            print_difference(one)
    if options.keep:
        os.makedirs(options.keep, exist_ok=True)
        with open(os.path.join(options.keep, "differences.txt"), "w", encoding="utf-8") as file:
            for _, one in found:
                print_difference(one, file)
    if differing:
        print("Differences by verb, part and kind")
        for (verb, part, kind), group in sorted(groups.items()):
            more = f"   {options.show} shown" if len(group) > options.show else ""
            print(f"  {verb:<10} {part:<12} {kind:<10} {len(group):6}{more}")
        print("--show N prints more of each, --keep DIR keeps all\n")
    total = print_table(cases, outcomes)
    print("\nSlowest cases")
    for outcome in sorted(outcomes, key=lambda outcome: -sum(outcome.seconds))[:5]:
        a, b = outcome.seconds
        print(f"  {a:6.1f} s and {b:6.1f} s  {cases[outcome.number].id}")
    if skipped:
        print("\nSkipped")
        for (verb, why), count in sorted(skipped.items()):
            print(f"  {verb:<10} {count:>4}  {why}")
    for outcome in outcomes:
        for step, code in zip(cases[outcome.number].steps, outcome.codes):
            if code not in (0, 1, 2):
                print(f"\nREFERENCE ends with {code}: {step.command()}  [{cases[outcome.number].id}]")
    reasons = Counter(one.reason for informational, one in found if one.reason and not informational)
    if reasons:
        print("\nJustified differences")
        for reason, count in reasons.most_common():
            print(f"  {count:>6}  {reason}")
    for entry in JUSTIFIED:
        if not any(entry.reason in reason for reason in reasons):
            print(f"unused entry in JUSTIFIED: {entry}")
    print(f"\n{total['cases']} cases, {total['commands']} commands in {elapsed:.0f} s: {total['identical']} identical, "
          f"{total['justified']} justified, {total['different']} different")
    return 1 if differing else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0], epilog="See the head of the script.")
    parser.add_argument("reference", metavar="REFERENCE", help="binary before the change")
    parser.add_argument("new", metavar="NEW", help="binary after the change")
    parser.add_argument("--captures", metavar="DIR", default=os.environ.get("UGOKI_CAPTURES"),
                        help="folder with motion files (default: $UGOKI_CAPTURES)")
    parser.add_argument("--verbs", metavar="A,B", help="only these verbs")
    parser.add_argument("--jobs", metavar="N", type=int, default=2, help="worker processes (default: 2)")
    parser.add_argument("--keep", metavar="DIR", help="keep the folders of cases that differ")
    parser.add_argument("--quick", action="store_true", help=f"only one case in {QUICK} of each verb")
    parser.add_argument("--show", metavar="N", type=int, default=3,
                        help="differences to print per verb, part and kind (default: 3)")
    parser.add_argument("--list", action="store_true", help="print the cases and stop")
    options = parser.parse_args()
    for binary in (options.reference, options.new):
        if not os.access(binary, os.X_OK) or os.path.isdir(binary):
            parser.error(f"{binary}: no such program")
    if not options.captures or not os.path.isdir(options.captures):
        parser.error("--captures or UGOKI_CAPTURES must name a folder with motion files")
    os.nice(10)
    begun = time.monotonic()
    root = tempfile.mkdtemp(prefix="ugoki-compare-")
    try:
        setup = prepare(options, root)
        captures, others, samples = find_inputs(setup)
        suite = Suite(captures, others, samples, make_fixtures(setup, captures))
        every = suite.build()
        cases = choose(every, options)
        print(f"{len(cases)} of {len(every)} cases; {len(captures)} captures, {len(suite.readable)} of them readable; "
              f"{len(samples)} sample motions; versions {' and '.join(setup.versions)}", file=sys.stderr, flush=True)
        if len(setup.versions[0]) != len(setup.versions[1]):
            print("the versions differ in length, so glTF files differ in their generator", file=sys.stderr)
        if options.list:
            for case in cases:
                print(case.id, *(f"  $ {step.command()}" for step in case.steps), sep="\n")
            return 0
        outcomes = run_all(cases, setup, max(1, options.jobs))
        verbs = {case.verb for case in cases}
        skipped = {(verb, why): count for (verb, why), count in suite.skipped.items() if verb in verbs}
        return report(cases, outcomes, skipped, time.monotonic() - begun, options)
    except KeyboardInterrupt:
        print("compare_builds: stopped", file=sys.stderr)
        return 2
    finally:
        shutil.rmtree(root, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
