"""Regenerates every quality table of motions over ground for two builds of `ugoki`.

    python3 scripts/quality.py REFERENCE NEW
    python3 scripts/quality.py REFERENCE NEW --tables plant,loop --limit 20      # a quick look
    python3 scripts/quality.py REFERENCE REFERENCE                               # must show no difference
    python3 scripts/quality.py --self-test                                       # checks the measures themselves

Both binaries run as black boxes with the same arguments. The written BVH is read, posed and measured here, with numpy alone; nothing
is taken from Ugoki's code. A refusal, crash or timeout of a case is a row. Rows are kept in OUT/cache by the hashes of
binary, inputs and this program, so later runs run only what is new.

--captures ($UGOKI_CAPTURES) is the folder with `cmu/`; --archive ($UGOKI_ARCHIVE) has one folder for each subject. Its subjects are split into halves:
tune with --half tune, report with --half report (default).

Exit code: 0 measured, 1 with --strict when a case of NEW is worse, 2 wrong usage.
"""
import argparse
import importlib
import multiprocessing
import os
import pickle
import resource
import shlex
import sys
import tempfile
import time
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from . import clips, report, selftest
from .tool import Tool, file_hash, measured_row, program_hash

TABLES = ("plant", "plant-noise", "loop", "splice", "walk", "blend", "retarget", "rigs", "tpose")


class Context:
    """Inputs of all tables."""

    def __init__(self, options):
        self.captures, self.limit, self.out, self.jobs, self.pairs = options.captures, options.limit, options.out, options.jobs, options.pairs
        self.half = options.half
        self.captured = clips.capture_clips(options.captures, "locomotion", "gesture", "sport")
        self.captured_all = clips.capture_clips(options.captures, "locomotion", "gesture", "sport", "physics")
        self.archived = clips.archive_clips(options.archive, options.half)
        self.known = {}

    def sample_archive(self, count, seed):
        """Archive clips without missing frames."""
        return clips.sample([g["path"] for g in self.gaits(self.archived) if g["kind"] != "broken"], count, seed)

    def gaits(self, files):
        """Gait of each file; kept in OUT."""
        path = os.path.join(self.out, "cache", f"gaits-{program_hash()}.pickle")
        if not self.known and os.path.exists(path):
            with open(path, "rb") as file:
                self.known = pickle.load(file)
        missing = [file for file in files if file not in self.known]
        if missing:
            with multiprocessing.Pool(self.jobs) as pool:
                self.known.update(zip(missing, pool.map(clips.gait, missing, chunksize=8)))
            with open(path, "wb") as file:
                pickle.dump(self.known, file)
        return [self.known[file] for file in files]


def module(name):
    return importlib.import_module(f"quality.tables.{name.replace('-', '_')}")


STATE = {}


def start_worker(binaries, folders):
    tools = [Tool(binary, folders["prepared"]) for binary in binaries]
    for tool in tools:
        tool.reference = Tool(binaries[0], folders["prepared"])
    STATE.update(tools=tools, folders=folders)


def run_case(job):
    """Rows of both binaries for one case, and the processor time of measuring."""
    name, case = job
    began = time.process_time()
    rows = [measured_row(module(name), case, tool, STATE["folders"]["cache"], STATE["folders"]["scratch"]) for tool in STATE["tools"]]
    return name, rows, time.process_time() - began


def parse(arguments):
    parser = argparse.ArgumentParser(prog="quality.py", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("reference", nargs="?", help="binary to compare with")
    parser.add_argument("new", nargs="?", help="binary to judge")
    parser.add_argument("--captures", default=os.environ.get("UGOKI_CAPTURES"))
    parser.add_argument("--archive", default=os.environ.get("UGOKI_ARCHIVE"))
    parser.add_argument("--tables", default=",".join(TABLES), help="comma-separated; default: all")
    parser.add_argument("--half", choices=("tune", "report", "all"), default="report", help="which half of the archive")
    parser.add_argument("--limit", type=int, help="at most this many cases for each table")
    parser.add_argument("--pairs", type=int, default=60, help="random pairs for splice")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--out", default="target/quality", help="folder for pages, rows and cache")
    parser.add_argument("--page", help="also write the Markdown page here, if the run is complete (all tables, no --limit)")
    parser.add_argument("--split", help="also write the halves of the archive here")
    parser.add_argument("--strict", action="store_true", help="exit with 1 when a case of NEW is worse")
    parser.add_argument("--self-test", action="store_true", help="check the measures on constructed motions and end")
    options = parser.parse_args(arguments)
    if options.self_test:
        return options
    unknown = [name for name in options.tables.split(",") if name not in TABLES]
    if unknown:
        parser.error(f"unknown tables: {', '.join(unknown)}; there are {', '.join(TABLES)}")
    if not options.reference or not options.new:
        parser.error("two binaries are needed: REFERENCE NEW")
    for path in (options.reference, options.new):
        if not os.access(path, os.X_OK):
            parser.error(f"{path} is not a program")
    if not options.captures or not os.path.isdir(os.path.join(options.captures, "cmu")):
        parser.error("--captures or $UGOKI_CAPTURES must name a folder with cmu/")
    if options.archive and not os.path.isdir(options.archive):
        parser.error(f"--archive {options.archive} is not a folder")
    return options


def main(arguments=None):
    arguments = sys.argv[1:] if arguments is None else arguments
    options = parse(arguments)
    if options.self_test:
        return selftest.run()
    options.out = os.path.abspath(options.out)
    folders = {name: os.path.join(options.out, name) for name in ("cache", "prepared", "scratch")}
    folders["prepared"] = os.path.join(folders["prepared"], program_hash())
    for folder in folders.values():
        os.makedirs(folder, exist_ok=True)
    names = options.tables.split(",")
    context = Context(options)
    clock = time.time()
    if options.archive:
        subjects = sorted(int(folder.name) for folder in Path(options.archive).iterdir() if folder.is_dir() and folder.name.isdigit())
        halves = clips.half_of(subjects)
        own = [f"{subject:03}" for subject in subjects if options.half in ("all", halves[subject])]
        print(f"archive: half `{options.half}`, {len(own)} of {len(subjects)} subjects, {len(context.archived)} clips: {' '.join(own)}")
        if options.split:
            report.write_split(options.split, halves)
    else:
        print("archive: none (--archive or $UGOKI_ARCHIVE); tables are of captures alone")
    jobs = []
    for name in names:
        cases = module(name).cases(context)
        jobs += [(name, case) for case in clips.sample(cases, options.limit or len(cases), seed=6)]
    rows = {name: [] for name in names}
    measuring = 0.0
    with tempfile.TemporaryDirectory(dir=folders["scratch"]) as scratch:
        folders["scratch"] = scratch
        binaries = [os.path.abspath(options.reference), os.path.abspath(options.new)]
        with multiprocessing.Pool(options.jobs, start_worker, (binaries, folders)) as pool:
            for done, (name, pair, seconds) in enumerate(pool.imap(run_case, jobs, chunksize=4), 1):
                rows[name].append(pair)
                measuring += seconds
                if sys.stderr.isatty() or done % 200 == 0:
                    print(f"{done} of {len(jobs)}: {name}", file=sys.stderr)
    sections, tables, worse = [], {}, 0
    for name in names:
        lines, entries = report.compare(module(name), rows[name])
        sections.append(lines)
        worse += len(entries)
        tables[name] = {"rows": [{"reference": a, "new": b} for a, b in rows[name]], "worse": entries}
        print("\n" + "\n".join(lines))
    seconds = [sum(pair[i].get("seconds", 0.0) for own in rows.values() for pair in own) for i in (0, 1)] + [measuring]
    data = f"captures (`--captures`), {'half `' + options.half + '` of the archive' if options.archive else 'no archive'}"
    binaries = [f"sha256 {file_hash(path)}" for path in binaries]
    shown = [os.path.basename(word) if os.path.sep in word else word for word in arguments]
    command = shlex.join(["python3", "scripts/quality.py", *shown])
    complete = options.page if not options.limit and set(names) == set(TABLES) else None
    for page in filter(None, (os.path.join(options.out, "quality.md"), complete)):
        report.write_page(page, command, data, binaries, sections, seconds)
    report.write_json(os.path.join(options.out, "quality.json"), {"command": command, "binaries": binaries, "half": options.half, "tables": tables})
    print(f"\n{len(jobs)} cases, {time.time() - clock:.0f} s; processor time: reference {seconds[0]:.0f} s, new {seconds[1]:.0f} s, measuring {measuring:.0f} s")
    print(f"worse: {worse} measures; all rows in {options.out}/quality.json")
    return 1 if options.strict and worse else 0
