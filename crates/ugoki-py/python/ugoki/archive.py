"""Whole archives: files in shards, worked on by processes or a Ray cluster, into tables of Lance.

    >>> import ugoki.archive
    >>> ugoki.archive.build("captures/**/*.bvh", "archive")
    {'clips': 2425, 'files': 2425, 'failed': 0, 'shards': 5}
    >>> ugoki.archive.search("archive", ugoki.read("walk.bvh"))[0]["name"]
    'walk'

Needs `pip install ugoki[archive]`; with Ray (`ugoki[ray]`) the same call uses a cluster. `docs/methods/archive.md` has the tables
and what is promised about them.
"""

from __future__ import annotations

import collections
import concurrent.futures
import ctypes
import glob as _glob
import hashlib
import json
import os
import shutil
import signal
import sqlite3
import sys
import tempfile
import time
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import Any

import ugoki

__all__ = ["build", "clip", "export", "failures", "search"]

#: Bytes of files that one task works on.
SHARD_BYTES = 128 << 20
#: How often a shard is tried when workers die, before its files are tried one by one.
ATTEMPTS = 5

_MEASURES = ["speed_m_s", "peak_m_s", "path_m", "turn_deg", "left_deg", "right_deg", "rise_m", "steps", "flights"]


def _schemas():
    import pyarrow as pa

    measures = [pa.field(name, pa.int64() if name in ("steps", "flights") else pa.float64()) for name in _MEASURES]
    segment = pa.struct([("kind", pa.string()), ("start", pa.int64()), ("end", pa.int64()), ("version", pa.int64()), ("bytes", pa.binary())])
    clips = pa.schema(
        [
            pa.field("key", pa.string(), nullable=False),
            pa.field("sha256", pa.string(), nullable=False),
            pa.field("take", pa.int64()),
            pa.field("version", pa.int64()),
            pa.field("name", pa.string()),
            pa.field("format", pa.string()),
            pa.field("fps", pa.float64()),
            pa.field("frames", pa.int64()),
            pa.field("tpose", pa.bool_()),
            pa.field("seconds", pa.float64()),
            pa.field("tags", pa.list_(pa.string())),
            *measures,
            pa.field("underived", pa.string()),
            pa.field("skeleton", pa.string()),
            pa.field("fingerprint", pa.binary()),
            pa.field("feature", pa.list_(pa.float32(), _FEATURES)),
            pa.field("segments", pa.list_(segment)),
            pa.field("contacts", pa.large_binary()),
            pa.field("derived_frames", pa.int64()),
            pa.field("derived", pa.large_binary()),
            pa.field("source", pa.large_binary()),
        ]
    )
    files = pa.schema(
        [
            pa.field("path", pa.string(), nullable=False),
            pa.field("size", pa.int64()),
            pa.field("modified_ns", pa.int64()),
            pa.field("sha256", pa.string()),
            pa.field("status", pa.string()),
            pa.field("message", pa.string()),
            pa.field("hint", pa.string()),
            pa.field("licence", pa.string()),
        ]
    )
    skeletons = pa.schema([pa.field("skeleton", pa.string(), nullable=False), pa.field("bytes", pa.large_binary())])
    return {"skeletons": skeletons, "clips": clips, "files": files}


#: Numbers of a fingerprint: 16 moments of ten vectors.
_FEATURES = 16 * 10 * 3


def _feature(fingerprint: bytes) -> list[float] | None:
    """The directions of limbs and the way of the root at 16 moments, in radians and metres."""
    import numpy as np

    if len(fingerprint) < 2 + 2 * _FEATURES or fingerprint[1] != 0:
        return None
    numbers = np.frombuffer(fingerprint, "<i2", _FEATURES, 2).reshape(16, 10, 3).astype(np.float32)
    numbers[:, :9] /= 10_000
    numbers[:, 9] /= 1_000
    return numbers.reshape(-1).tolist()


# --- What a worker does ---------------------------------------------------------------------------------------------


def _die_with(parent: int) -> None:
    """Lets the system end this process when its parent ends, and uses one thread for each worker."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    ugoki.limit_threads(1)
    if sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(1, signal.SIGKILL, 0, 0, 0)
    # Also where the parent was gone before the call.
    if os.getppid() != parent:
        os._exit(1)


def _shard(files: list[str]) -> dict[str, list[dict[str, Any]]]:
    """Rows of the three tables for some files."""
    folder = Path(tempfile.mkdtemp(prefix="ugoki-shard-"))
    try:
        return _rows(folder, files)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _local(folder: Path, place: str) -> str:
    """The file itself, or a copy of what lies elsewhere."""
    if "://" not in place:
        return place
    import fsspec

    copy = folder / hashlib.sha256(place.encode()).hexdigest()[:16] / place.rsplit("/", 1)[-1]
    copy.parent.mkdir()
    with fsspec.open(place, "rb") as source, open(copy, "wb") as out:
        shutil.copyfileobj(source, out)
    return str(copy)


def _rows(folder: Path, files: list[str]) -> dict[str, list[dict[str, Any]]]:
    rows: dict[str, list[dict[str, Any]]] = {"skeletons": [], "clips": [], "files": []}
    places: dict[str, tuple[str, os.stat_result]] = {}
    named = []
    for place in files:
        try:
            local = os.path.realpath(_local(folder, place))
            places[local] = (place, os.stat(local))
            named.append(local)
        except OSError as error:
            rows["files"].append(_file_row(place, None, None, "failed", str(error), "check the name"))
    database = folder / "shard.ugoki"
    if not named:
        return rows
    listing = folder / "files.txt"
    listing.write_text("".join(f"{name}\n" for name in named))
    ugoki.db.create(database)
    ugoki.db.add(database, files_from=listing)
    with sqlite3.connect(f"file:{database}?mode=ro", uri=True) as tables:
        tables.row_factory = sqlite3.Row
        seen = set()
        for file in tables.execute("SELECT files.*, licences.text AS licence FROM files LEFT JOIN licences ON licences.id = licence_id ORDER BY files.id"):
            name = os.path.realpath(folder / file["path"])
            place, stat = places[name]
            seen.add(name)
            digest = file["hash"].hex()
            if file["status"] != "imported":
                reason = json.loads(file["reason"] or "{}")
                rows["files"].append(_file_row(place, stat, digest, "failed", reason.get("message"), reason.get("hint")))
                continue
            rows["files"].append(_file_row(place, stat, digest, "done", None, None, file["licence"]))
            for row in _clips(tables, file, digest, Path(place).stem):
                rows["clips"].append(row)
        for name in named:
            if name not in seen:
                place, stat = places[name]
                rows["files"].append(_file_row(place, stat, _sha256(name), "failed", *_why(name)))
        rows["skeletons"] = [
            {"skeleton": hash.hex(), "bytes": data}
            for hash, data in tables.execute("SELECT hash, bytes FROM skeletons WHERE id IN (SELECT skeleton_id FROM clips) ORDER BY hash")
        ]
    return rows


def _clips(tables, file, digest: str, stem: str):
    query = """SELECT clips.*, skeletons.hash AS skeleton, sources.bytes AS source, derived.bytes AS derived,
        derived.frames AS derived_frames, coalesce(derived.version, 0) AS version, contacts.bytes AS contacts, measures.*
        FROM clips JOIN skeletons ON skeletons.id = skeleton_id JOIN sources ON sources.clip_id = clips.id
        LEFT JOIN derived ON derived.clip_id = clips.id LEFT JOIN contacts ON contacts.clip_id = clips.id
        LEFT JOIN measures ON measures.clip_id = clips.id WHERE file_id = ? ORDER BY take"""
    for clip in tables.execute(query, [file["id"]]):
        tags = [tag for (tag,) in tables.execute("SELECT DISTINCT tag FROM tags WHERE clip_id = ? ORDER BY tag", [clip["id"]])]
        segments = tables.execute('SELECT kind, start, "end", version, bytes FROM segments WHERE clip_id = ? ORDER BY 1, 2, 3', [clip["id"]])
        take = clip["take"]
        yield {
            "key": f"{digest}:{take}:{clip['version']}",
            "sha256": digest,
            "take": take,
            "version": clip["version"],
            "name": stem if take == 0 else f"{stem}-{take + 1}",
            "format": file["format"],
            "fps": clip["fps"],
            "frames": clip["frames"],
            "tpose": bool(clip["tpose"]),
            "seconds": clip["motion_seconds"],
            "tags": tags,
            **{name: clip[name] for name in _MEASURES},
            "underived": clip["underived"],
            "skeleton": clip["skeleton"].hex(),
            "fingerprint": clip["fingerprint"],
            "feature": _feature(clip["fingerprint"]),
            "segments": [dict(zip(("kind", "start", "end", "version", "bytes"), row)) for row in segments],
            "contacts": clip["contacts"],
            "derived_frames": clip["derived_frames"],
            "derived": clip["derived"],
            "source": clip["source"],
        }


def _why(name: str) -> tuple[str, str | None]:
    """What reading a file says against it."""
    try:
        ugoki.read(name)
    except ugoki.Error as error:
        return error.message, error.hint
    return "it was not taken in", None


def _sha256(name: str) -> str:
    with open(name, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest() if sys.version_info >= (3, 11) else hashlib.sha256(file.read()).hexdigest()


def _file_row(place, stat, digest, status, message, hint, licence=None) -> dict[str, Any]:
    return {
        "path": place,
        "size": stat and stat.st_size,
        "modified_ns": stat and stat.st_mtime_ns,
        "sha256": digest,
        "status": status,
        "message": message,
        "hint": hint,
        "licence": licence,
    }


# --- Pools of workers ----------------------------------------------------------------------------------------------------


class _Processes:
    """A pool of processes that survives the death of its workers."""

    def __init__(self, workers: int | None):
        self.workers = workers or os.cpu_count() or 1
        self.pool = None

    def start(self):
        import multiprocessing

        context = multiprocessing.get_context("spawn")
        self.pool = concurrent.futures.ProcessPoolExecutor(
            self.workers, mp_context=context, initializer=_die_with, initargs=(os.getpid(),)
        )

    def submit(self, files):
        if self.pool is None:
            self.start()
        try:
            return self.pool.submit(_shard, files)
        except BrokenProcessPool:
            self.pool.shutdown(wait=False, cancel_futures=True)
            self.start()
            return self.pool.submit(_shard, files)

    def result(self, task):
        """The rows, or `None` when the worker died."""
        try:
            return task.result()
        except (BrokenProcessPool, concurrent.futures.CancelledError):
            return None

    def is_lost(self, task) -> bool:
        return task.cancelled() or (task.done() and isinstance(task.exception(), BrokenProcessPool))

    def close(self):
        if self.pool is not None:
            self.pool.shutdown(wait=False, cancel_futures=True)


class _Ray:
    """Tasks of a Ray cluster; Ray itself repeats what a dead worker was at."""

    def __init__(self, address: str | None, workers: int | None):
        import ray

        self.ray = ray
        self.is_own = not ray.is_initialized()
        if self.is_own:
            options: dict[str, Any] = {"log_to_driver": False, "include_dashboard": False, "logging_level": "error"}
            ray.init(address=address, **({} if address else {"num_cpus": workers}), **options)
        self.workers = int(workers or ray.cluster_resources().get("CPU", 1))
        self.task = ray.remote(num_cpus=1, max_retries=ATTEMPTS)(_ray_shard)

    def submit(self, files):
        return self.task.remote(files)

    def result(self, task):
        try:
            return self.ray.get(task)
        except (self.ray.exceptions.WorkerCrashedError, self.ray.exceptions.NodeDiedError):
            return None

    def is_lost(self, task) -> bool:
        return False

    def close(self):
        if self.is_own:
            self.ray.shutdown()


def _ray_shard(files):
    ugoki.limit_threads(1)
    return _shard(files)


# --- The tables -----------------------------------------------------------------------------------------------------

#: What is taken of a folder.
_ENDINGS = (".bvh", ".amc", ".fbx", ".glb", ".gltf", ".vrm", ".vrma", ".c3d", ".trc", ".npz", ".npy")

_KEYS = {"skeletons": "skeleton", "clips": "key", "files": "path"}


def _open(dest, table: str):
    """A table, made when it is missing."""
    import lance

    place = f"{str(dest).rstrip('/')}/{table}.lance"
    try:
        return lance.dataset(place)
    except (ValueError, FileNotFoundError, OSError):
        import pyarrow as pa

        return lance.write_dataset(pa.Table.from_pylist([], _schemas()[table]), place, mode="create")


def _commit(dest, rows: dict[str, list[dict[str, Any]]]) -> None:
    """Puts the rows of a shard in. What readers see whole, `clips`, comes after what it refers to and before `files`, which says that
    the work is done: stopped between two, the shard is done again and its rows are found there by their keys."""
    import pyarrow as pa

    schemas = _schemas()
    for table, key in _KEYS.items():
        unique = {row[key]: row for row in reversed(rows[table])}
        new = [unique.pop(row[key]) for row in rows[table] if row[key] in unique]
        if not new:
            continue
        merge = _open(dest, table).merge_insert(key).when_not_matched_insert_all()
        if table == "files":
            # A file that has changed, or could not be used before, is another one now.
            merge = merge.when_matched_update_all()
        merge.execute(pa.Table.from_pylist(new, schemas[table]))


def _files(source) -> list[str]:
    """The files of a pattern, a folder, a manifest (a text with a file on each line) or a list, sorted."""
    if not isinstance(source, (str, os.PathLike)):
        return sorted({str(one) for one in source})
    text = os.fspath(source)
    if os.path.isdir(text):
        inside = (os.path.join(at, name) for at, _, names in os.walk(text) for name in names if not name.startswith("."))
        found = [one for one in inside if one.lower().endswith(_ENDINGS)]
    elif "://" in text:
        import fsspec

        system, place = fsspec.core.url_to_fs(text)
        found = [system.unstrip_protocol(one) for one in system.glob(place)]
    elif any(letter in text for letter in "*?["):
        found = [one for one in _glob.glob(text, recursive=True) if os.path.isfile(one)]
    elif text.endswith((".txt", ".lst", ".manifest")):
        found = [line for line in Path(text).read_text().splitlines() if line]
    else:
        found = [text]
    return sorted({one if "://" in one else os.path.abspath(one) for one in found})


def _size(place: str) -> tuple[int, int]:
    if "://" in place:
        import fsspec

        system, inside = fsspec.core.url_to_fs(place)
        return int(system.size(inside) or 0), 0
    try:
        stat = os.stat(place)
        return stat.st_size, stat.st_mtime_ns
    except OSError:
        return 0, 0


def _shards(files: list[tuple[str, int]], shard_bytes: int) -> list[list[str]]:
    """Neighbours together, so many bytes each; which files are in which does not depend on the workers."""
    shards: list[list[str]] = []
    room = 0
    for place, size in files:
        if not shards or room < size:
            shards.append([])
            room = shard_bytes
        shards[-1].append(place)
        room -= size
    return shards


def build(
    source,
    dest,
    *,
    address: str | None = None,
    workers: int | None = None,
    engine: str = "auto",
    shard_bytes: int = SHARD_BYTES,
    progress=None,
) -> dict[str, Any]:
    """Takes motion files into an archive; what is done is passed over, so that a stopped build goes on where it was.

    :param source: A pattern (`"captures/**/*.bvh"`), a folder, a text with a file on each line, or a list of files
    :param dest: Folder or address of the archive
    :param address: A Ray cluster; without it everything is done on this machine
    :param workers: Processes at once; as many as there are processors when not given
    :param engine: "ray", "processes", or "auto": Ray where it is installed and an address is given
    :param shard_bytes: Bytes of files that one task works on
    :param progress: A function of the part done, 0 to 1, or a tqdm bar
    """
    if engine not in ("auto", "ray", "processes"):
        raise ValueError(f"engine is {engine!r}, expected auto, ray or processes")
    from ugoki._call import callback

    report = callback(progress) or (lambda part: None)
    places = _files(source)
    if "://" not in str(dest):
        Path(dest).mkdir(parents=True, exist_ok=True)
    for table in _KEYS:
        _open(dest, table)
    done = {
        (row["path"], row["size"], row["modified_ns"])
        for row in _open(dest, "files").to_table(columns=["path", "size", "modified_ns"]).to_pylist()
    }
    sizes = [(place, *_size(place)) for place in places]
    # Of files elsewhere the time of the copy says nothing.
    remote = {(path, size) for path, size, _ in done if "://" in path}
    new = [(place, size) for place, size, time_ns in sizes if (place, size, time_ns) not in done and (place, size) not in remote]
    shards = _shards(new, shard_bytes)
    began = time.perf_counter()
    if shards:
        pool = _Ray(address, workers) if engine == "ray" or (engine == "auto" and address) else _Processes(workers)
        try:
            _work(pool, shards, dest, report)
        finally:
            pool.close()
    report(1.0)
    clips, files = _open(dest, "clips"), _open(dest, "files")
    return {
        "clips": clips.count_rows(),
        "files": files.count_rows("status = 'done'"),
        "failed": files.count_rows("status = 'failed'"),
        "shards": len(shards),
        "seconds": time.perf_counter() - began,
    }


def _work(pool, shards: list[list[str]], dest, report) -> None:
    """Shards are committed in their order, whichever is finished first: of files with the same content the first one names the clip.
    Only so many are under way that memory is bounded by workers and shards."""
    waiting: collections.deque[tuple[list[str], Any]] = collections.deque()
    left = iter(shards)
    finished = 0
    while True:
        while len(waiting) < 2 * pool.workers:
            files = next(left, None)
            if files is None:
                break
            waiting.append((files, pool.submit(files)))
        if not waiting:
            return
        files, task = waiting.popleft()
        rows = pool.result(task)
        for _ in range(ATTEMPTS):
            if rows is not None:
                break
            rows = pool.result(pool.submit(files))
        if rows is None:
            rows = _one_by_one(pool, files)
        _commit(dest, rows)
        finished += 1
        report(finished / len(shards))
        # What was lost with the pool is started again.
        waiting = collections.deque((files, pool.submit(files) if pool.is_lost(task) else task) for files, task in waiting)


def _one_by_one(pool, files: list[str]) -> dict[str, list[dict[str, Any]]]:
    """Finds the file that ends its worker; it is listed as failed."""
    rows: dict[str, list[dict[str, Any]]] = {"skeletons": [], "clips": [], "files": []}
    for place in files:
        of_file = None
        for _ in range(2):
            of_file = of_file or pool.result(pool.submit([place]))
        if of_file is None:
            stat = os.stat(place) if "://" not in place else None
            message = "the worker died while it was read"
            of_file = {"skeletons": [], "clips": [], "files": [_file_row(place, stat, None, "failed", message, "leave it out")]}
        for table, more in of_file.items():
            rows[table].extend(more)
    return rows


# --- Reading --------------------------------------------------------------------------------------------------------


def failures(dest) -> list[dict[str, Any]]:
    """The files that could not be used: path, message and hint."""
    table = _open(dest, "files").to_table(columns=["path", "message", "hint"], filter="status = 'failed'")
    return sorted(table.to_pylist(), key=lambda row: row["path"])


def clip(dest, key: str) -> ugoki.Clip:
    """A clip as it came in, on its own skeleton."""
    found = _open(dest, "clips").to_table(columns=["source"], filter=f"key = '{key}'").to_pylist()
    if not found:
        raise KeyError(key)
    return ugoki._ugoki.unfold(found[0]["source"])


def search(dest, motion, k: int = 10) -> list[dict[str, Any]]:
    """The clips with the most similar motion, nearest first: directions of limbs and way of the root at 16 moments.

    :param dest: The archive
    :param motion: A clip, or the name of a file
    :param k: How many
    """
    folder = Path(tempfile.mkdtemp(prefix="ugoki-search-"))
    try:
        file = folder / "query.npz"
        ugoki.convert(motion, output=file)
        rows = _rows(folder, [str(file)])["clips"]
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    feature = rows[0]["feature"] if rows else None
    if feature is None:
        raise ugoki.Error("the motion shows no human body to compare", "search with a motion of a person")
    import numpy as np

    query = np.asarray(feature, np.float32)
    best: list[tuple[float, str, str]] = []
    # Exact: a scan of 10⁵ clips reads 190 MB.
    for batch in _open(dest, "clips").to_batches(columns=["key", "name", "feature"], filter="feature IS NOT NULL"):
        vectors = np.stack([np.asarray(one, np.float32) for one in batch["feature"].to_pylist()]) if len(batch) else np.zeros((0, _FEATURES))
        apart = np.sqrt(((vectors - query) ** 2).mean(axis=1))
        best += zip(apart.tolist(), batch["key"].to_pylist(), batch["name"].to_pylist())
        best = sorted(best)[:k]
    return [{"distance": apart, "key": key, "name": name} for apart, key, name in best]


def export(database, folder) -> dict[str, int]:
    """Writes the clips of a `.ugoki` database as Parquet tables: `clips`, `files` and `skeletons`, as `build` has them."""
    import pyarrow as pa
    import pyarrow.parquet

    Path(folder).mkdir(parents=True, exist_ok=True)
    rows: dict[str, list[dict[str, Any]]] = {"skeletons": [], "clips": [], "files": []}
    with sqlite3.connect(f"file:{database}?mode=ro", uri=True) as tables:
        tables.row_factory = sqlite3.Row
        for file in tables.execute("SELECT files.*, licences.text AS licence FROM files LEFT JOIN licences ON licences.id = licence_id ORDER BY files.id"):
            digest = file["hash"].hex()
            status = "done" if file["status"] == "imported" else "failed"
            reason = json.loads(file["reason"] or "{}")
            row = _file_row(file["path"], None, digest, status, reason.get("message"), reason.get("hint"), file["licence"])
            rows["files"].append(row | {"size": file["size"], "modified_ns": file["modified_ns"]})
            rows["clips"] += _clips(tables, file, digest, Path(file["path"]).stem)
        found = tables.execute("SELECT hash, bytes FROM skeletons WHERE id IN (SELECT skeleton_id FROM clips) ORDER BY hash")
        rows["skeletons"] = [{"skeleton": hash.hex(), "bytes": data} for hash, data in found]
    for table, schema in _schemas().items():
        pyarrow.parquet.write_table(pa.Table.from_pylist(rows[table], schema), Path(folder) / f"{table}.parquet", compression="zstd")
    return {table: len(one) for table, one in rows.items()}
