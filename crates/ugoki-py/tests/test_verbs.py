"""Verbs as functions: the command line's results, errors and progress."""

import inspect
import json
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import ugoki
from ugoki import _verbs

MOTION_VERBS = [
    ("filter", ["walk"], {"kernel": "gauss:2"}, ["--kernel", "gauss:2"]),
    ("filter", ["walk"], {"despike": True, "kernel": "savgol:11,3", "feet": "free"},
     ["--despike", "--kernel", "savgol:11,3", "--feet", "free"]),
    ("plant", ["walk"], {}, []),
    ("loop", ["walk"], {}, []),
    ("equalize", ["walk"], {"gains": [1.0, 0.5]}, ["--gains", "1,0.5"]),
    ("blend", ["walk", "run"], {"weights": "1,1"}, ["--weights", "1,1"]),
    ("splice", ["walk", "run"], {"blend_s": 0.4}, ["--blend", "0.4"]),
    ("convert", ["walk"], {"fps": 24.0, "mirror": True}, ["--fps", "24", "--mirror"]),
    ("react", ["squat"], {"loads": ["8@chest"]}, ["--load", "8@chest"]),
    ("walk", ["walk"], {"turn": 40.0}, ["--turn", "40"]),
]  # fmt: skip


@pytest.mark.parametrize("ending", ["bvh", "npz"])
@pytest.mark.parametrize(("verb", "inputs", "options", "words"), MOTION_VERBS)
def test_results_are_the_command_lines_to_the_bit(command, folder, tmp_path, verb, inputs, options, words, ending):
    function = getattr(ugoki, verb)
    files = [folder / f"{name}.bvh" for name in inputs]
    first = files if len(files) > 1 else files[0]
    function(first, output=tmp_path / f"python.{ending}", **options)
    # From files.
    report = json.loads(command(verb, *files, "-o", tmp_path / f"line.{ending}", *words, "--json"))
    expected = (tmp_path / f"line.{ending}").read_bytes()
    assert (tmp_path / f"python.{ending}").read_bytes() == expected
    # From clips in memory.
    clips = [ugoki.read(file) for file in files]
    made = function(clips if len(clips) > 1 else clips[0], **options)
    assert isinstance(made, ugoki.Clip)
    made.save(tmp_path / f"saved.{ending}")
    direct = function(clips if len(clips) > 1 else clips[0], output=f".{ending}", **options)
    assert direct == expected
    names = {"input", "output", "inputs", "files"}
    assert {name: value for name, value in made.report.items() if name not in names} == {
        name: value for name, value in report.items() if name not in names
    }


def test_reports_are_the_command_lines_documents(command, document, folder):
    walk, run = folder / "walk.bvh", folder / "run.bvh"
    assert ugoki.info(walk) == document("info", walk)
    compared = ugoki.compare(walk, run)
    assert compared == document("compare", walk, run)
    assert compared.json.encode() + b"\n" == command("compare", walk, run, "--json")
    assert str(compared) == command("compare", walk, run).decode().rstrip("\n")
    assert ugoki.segment(walk).keys() == {"input", "seconds", "cuts_s", "pieces", "losses"}


def test_pictures_are_bytes(walk):
    assert ugoki.render(walk).startswith(b"\x89PNG")
    assert ugoki.render(walk, output=".gif", size="160x120", frames=4).startswith(b"GIF8")


def test_several_results_are_a_dictionary(walk, run):
    made = ugoki.convert([walk, run], output=ugoki.IN_MEMORY, mirror=True)
    assert len(made) == 2 and all(isinstance(clip, ugoki.Clip) for clip in made.values())


def test_databases_are_read_and_written(folder, tmp_path):
    database = tmp_path / "moves.ugoki"
    added = ugoki.db.add(database, folder, tags=["mine"])
    assert len(added["added"]) == 4
    assert {row["name"] for row in ugoki.db.list(database)["clips"]} >= {"walk", "run"}
    assert isinstance(ugoki.read(f"{database}#walk"), ugoki.Clip)
    exported = ugoki.db.export(database)
    assert len(exported) == 4


def test_errors_say_what_to_do(walk, tmp_path):
    with pytest.raises(ugoki.Error) as caught:
        ugoki.read(tmp_path / "missing.bvh")
    assert caught.value.file.endswith("missing.bvh") and caught.value.hint
    (tmp_path / "bad.bvh").write_text("HIERARCHY\nROOT Hips\n{\n  OFFSET 1e30 0 0\n}\nMOTION\nFrames: 1\nFrame Time: 0.1\n0\n")
    with pytest.raises(ugoki.Error) as caught:
        ugoki.info(tmp_path / "bad.bvh")
    assert caught.value.line == 2 and caught.value.file.endswith("bad.bvh")
    with pytest.raises(ugoki.Error, match="^kernel: is missing") as caught:
        ugoki.filter(walk)
    assert "auto" in caught.value.hint and "--" not in str(caught.value)
    with pytest.raises(ugoki.Error, match="not possible"):
        ugoki.filter(walk, kernel="gauss:-1")
    with pytest.raises(TypeError):
        ugoki.filter(walk, colour="red")
    with pytest.raises(TypeError):
        ugoki.filter(walk, "gauss:2")
    with pytest.raises(ugoki.Error, match="read before"):
        ugoki.filter(walk, kernel="gauss:2", source_fps=20.0)


def test_an_input_is_not_overwritten(folder, tmp_path):
    copy = tmp_path / "walk.bvh"
    copy.write_bytes((folder / "walk.bvh").read_bytes())
    with pytest.raises(ugoki.Error, match="both an input and an output"):
        ugoki.plant(copy, output=copy)
    ugoki.plant(copy, output=copy, overwrite=True)


def test_memory_is_bounded(walk):
    with pytest.raises(ugoki.Error, match="larger than"):
        ugoki.plant(walk, memory=1000)


def test_progress_is_reported(walk):
    long = ugoki.convert(walk, fps=2000.0)
    parts = []
    ugoki.plant(long, progress=parts.append)
    assert parts[-1] == 1.0 and all(a <= b + 1e-6 for a, b in zip(parts, parts[1:])), parts

    class Bar:
        n, total = 0.0, 100.0

        def update(self, n):
            self.n += n

    bar = Bar()
    ugoki.plant(long, progress=bar)
    assert bar.n == pytest.approx(100.0)


def test_an_exception_in_progress_stops_the_work(walk):
    long = ugoki.convert(walk, fps=4000.0)

    def refuse(part):
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        ugoki.plant(long, progress=refuse)


def test_other_threads_run_meanwhile(walk):
    long = ugoki.convert(walk, fps=4000.0)
    counted, done = [0], threading.Event()

    def count():
        while not done.is_set():
            counted[0] += 1
            time.sleep(0.001)

    thread = threading.Thread(target=count)
    thread.start()
    began = time.perf_counter()
    ugoki.plant(long)
    took = time.perf_counter() - began
    done.set()
    thread.join()
    assert counted[0] > 20 * took, (counted, took)


def test_ctrl_c_stops_a_verb(folder):
    script = f"""
import os, signal, threading, time, ugoki
long = ugoki.convert({str(folder / "walk.bvh")!r}, fps=20000.0)
threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
began = time.perf_counter()
try:
    ugoki.react(long)
    print("finished")
except KeyboardInterrupt:
    print("stopped", time.perf_counter() - began)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=120, check=False)
    assert done.stdout.startswith("stopped"), done.stdout + done.stderr
    assert float(done.stdout.split()[1]) < 5


def test_signatures_say_what_verbs_take():
    parameters = inspect.signature(ugoki.filter).parameters
    assert list(parameters)[0] == "input"
    assert parameters["kernel"].kind is inspect.Parameter.KEYWORD_ONLY
    assert parameters["method"].default == "path"
    assert "box:TAPS" in ugoki.filter.__doc__
    for name in _verbs.__all__:
        assert getattr(ugoki, name).__doc__, name
    assert "--" not in (ugoki.segment.__doc__ or "")


def test_calls_cost_little(walk):
    def median(call, times=2000):
        taken = []
        for _ in range(times):
            began = time.perf_counter_ns()
            call()
            taken.append(time.perf_counter_ns() - began)
        return float(np.median(taken)) / 1000

    # Microseconds; four times what is measured on a quiet machine.
    assert median(lambda: walk.fps) < 5
    assert median(lambda: walk.rotation_parts) < 20

