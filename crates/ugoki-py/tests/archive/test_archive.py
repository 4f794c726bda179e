"""Archives: the same tables from any number of workers, also when workers are killed."""

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import ugoki

pytest.importorskip("lance")
pytest.importorskip("pyarrow")

import ugoki.archive as archive  # noqa: E402

SHARD = 200_000
RUNS = 20


@pytest.fixture(scope="session")
def captures(tmp_path_factory):
    """Forty files of the sample actor, two with the same content, and two broken ones."""
    os.environ["XDG_CACHE_HOME"] = str(tmp_path_factory.mktemp("cache"))
    folder = tmp_path_factory.mktemp("captures")
    names = [row["name"] for row in ugoki.db.list("sample")["clips"]][:10]
    for number, name in enumerate(names):
        for copy in range(4):
            file = f"{number % 3}-{name}-{copy}.bvh" if copy < 3 else f"{name}.npz"
            ugoki.convert(f"sample#{name}", speed=1.0 + 0.1 * copy, output=folder / file)
    first = sorted(folder.glob("*.bvh"))[0]
    (folder / "z-same.bvh").write_bytes(first.read_bytes())
    (folder / "broken.bvh").write_text("HIERARCHY\nROOT Hips\n{\n  OFFSET 1e30 0 0\n}\nMOTION\nFrames: 1\nFrame Time: 0.1\n0\n")
    (folder / "not-motion.glb").write_bytes(b"glTF")
    (folder / "LICENSE").write_text("CC0")
    return folder


def tables(dest):
    """Every table, sorted by its key."""
    return {
        name: sorted(archive._open(dest, name).to_table().to_pylist(), key=lambda row: row[key])
        for name, key in archive._KEYS.items()
    }


def check(dest):
    """What readers see is whole: keys once, and everything that a clip refers to is there."""
    found = tables(dest)
    for name, key in archive._KEYS.items():
        keys = [row[key] for row in found[name]]
        assert len(keys) == len(set(keys)), name
    skeletons = {row["skeleton"] for row in found["skeletons"]}
    assert {row["skeleton"] for row in found["clips"]} <= skeletons
    done = {row["sha256"] for row in found["clips"]}
    assert all(row["sha256"] in done for row in found["files"] if row["status"] == "done")


@pytest.fixture(scope="session")
def undisturbed(captures, tmp_path_factory):
    dest = tmp_path_factory.mktemp("archive") / "undisturbed"
    done = archive.build(captures, dest, workers=1, engine="processes", shard_bytes=SHARD)
    assert done["clips"] == 40 and done["files"] == 41 and done["shards"] > 5
    check(dest)
    return dest, tables(dest)


def test_failures_are_listed_with_the_files_own_error(undisturbed):
    failed = archive.failures(undisturbed[0])
    assert [Path(row["path"]).name for row in failed] == ["broken.bvh", "not-motion.glb"]
    assert all(row["message"] for row in failed)


@pytest.mark.parametrize("workers", [2, 4])
def test_the_number_of_workers_changes_nothing(captures, undisturbed, tmp_path, workers):
    archive.build(captures, tmp_path / "a", workers=workers, engine="processes", shard_bytes=SHARD)
    assert tables(tmp_path / "a") == undisturbed[1]


def test_a_second_build_does_nothing_and_a_new_file_is_added(captures, undisturbed, tmp_path):
    files = [str(file) for file in captures.iterdir()]
    some = sorted(files)[:20]
    archive.build(some, tmp_path / "a", workers=1, engine="processes", shard_bytes=SHARD)
    again = archive.build(some, tmp_path / "a", workers=1, engine="processes", shard_bytes=SHARD)
    assert again["shards"] == 0
    archive.build(captures, tmp_path / "a", workers=1, engine="processes", shard_bytes=SHARD)
    assert tables(tmp_path / "a") == undisturbed[1]


def test_derived_bytes_are_those_of_a_direct_import(captures, undisturbed, tmp_path):
    import sqlite3

    ugoki.db.add(tmp_path / "direct.ugoki", paths=captures)
    with sqlite3.connect(tmp_path / "direct.ugoki") as database:
        query = "SELECT files.hash, take, derived.bytes FROM clips JOIN files ON files.id = file_id JOIN derived ON clip_id = clips.id"
        direct = {f"{hash.hex()}:{take}": data for hash, take, data in database.execute(query)}
    built = {row["key"].rsplit(":", 1)[0]: row["derived"] for row in undisturbed[1]["clips"] if row["derived"]}
    assert built == direct


def test_clips_come_back_and_are_found_by_their_motion(captures, undisturbed):
    dest = undisturbed[0]
    row = undisturbed[1]["clips"][0]
    clip = archive.clip(dest, row["key"])
    assert len(clip) == row["frames"]
    file = next(file for file in sorted(captures.glob("*.bvh")) if file.stem == row["name"])
    assert archive.search(dest, file, k=3)[0]["key"] == row["key"]
    with pytest.raises(KeyError):
        archive.clip(dest, "none")


SCRIPT = """
import sys, ugoki.archive
if __name__ == "__main__":
    ugoki.archive.build(sys.argv[1], sys.argv[2], workers=2, engine="processes", shard_bytes=int(sys.argv[3]))
    print("built", flush=True)
"""


def children(pid):
    found = subprocess.run(["ps", "-ww", "--ppid", str(pid), "-o", "pid=", "-o", "args="], capture_output=True, text=True, check=False)
    rows = [line.split(None, 1) for line in found.stdout.splitlines()]
    return [int(pid) for pid, words in rows if "multiprocessing.spawn" in words]


def test_killed_workers_and_builders_lose_nothing(captures, undisturbed, tmp_path):
    script = tmp_path / "build.py"
    script.write_text(SCRIPT)
    rng = random.Random(7)
    killed = {"worker": 0, "builder": 0}
    for run in range(RUNS):
        dest = tmp_path / f"a{run}"
        started = subprocess.Popen([sys.executable, script, captures, dest, str(SHARD)], stdout=subprocess.PIPE)
        victim = "builder" if run % 4 == 3 else "worker"
        while not children(started.pid) and started.poll() is None:
            time.sleep(0.05)
        # From the start of the workers to about the end of the build.
        time.sleep(rng.uniform(0.0, 2.0))
        workers = children(started.pid)
        if started.poll() is None:
            try:
                os.kill(rng.choice(workers) if victim == "worker" and workers else started.pid, signal.SIGKILL)
                killed[victim if victim == "worker" and workers else "builder"] += 1
            except ProcessLookupError:
                pass
        started.wait(120)
        # Workers end with their parent.
        deadline = time.time() + 5
        while any(Path(f"/proc/{pid}").exists() for pid in workers) and time.time() < deadline:
            time.sleep(0.05)
        assert not any(Path(f"/proc/{pid}").exists() for pid in workers)
        if dest.exists():
            check(dest)
        archive.build(captures, dest, workers=1, engine="processes", shard_bytes=SHARD)
        assert tables(dest) == undisturbed[1], f"run {run}"
    print(killed)
    assert killed["worker"] >= RUNS // 4 and killed["builder"] >= 1, killed


def test_a_file_that_kills_its_worker_is_listed(captures, undisturbed, tmp_path, monkeypatch):
    class Pool:
        workers = 1

        def submit(self, files):
            return files

        def result(self, files):
            return None if any("z-same" in file for file in files) else archive._shard(files)

        def is_lost(self, task):
            return False

        def close(self):
            pass

    monkeypatch.setattr(archive, "_Processes", lambda workers: Pool())
    archive.build(captures, tmp_path / "a", engine="processes", shard_bytes=SHARD)
    assert any("died" in row["message"] and "z-same" in row["path"] for row in archive.failures(tmp_path / "a"))


def test_ray_gives_the_same_tables(captures, undisturbed, tmp_path):
    pytest.importorskip("ray")
    archive.build(captures, tmp_path / "a", workers=2, engine="ray", shard_bytes=SHARD)
    assert tables(tmp_path / "a") == undisturbed[1]


def test_parquet_holds_the_same_clips(captures, undisturbed, tmp_path):
    import pyarrow.parquet as parquet

    ugoki.db.add(tmp_path / "direct.ugoki", paths=captures)
    counts = archive.export(tmp_path / "direct.ugoki", tmp_path / "out")
    assert counts["clips"] == 41
    rows = parquet.read_table(tmp_path / "out" / "clips.parquet").to_pylist()
    assert {row["key"]: row["derived"] for row in rows} == {row["key"]: row["derived"] for row in undisturbed[1]["clips"]}
