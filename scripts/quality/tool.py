"""Runs a binary as a black box and keeps rows of results by the hashes of everything they depend on."""
import hashlib
import json
import math
import os
import resource
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

TIMEOUT_S = 60.0  # of one command


class Refused(Exception):
    """The command ended without a result; `kind` is refused, crash or timeout."""

    def __init__(self, kind, message):
        super().__init__(message)
        self.kind = kind


@dataclass(frozen=True)
class Measure:
    """A column: unit, smallest difference that counts, and which way is better (low, high, or None: for information)."""

    unit: str
    floor: float = 0.0
    better: str | None = "low"


@dataclass(frozen=True)
class Case:
    """One input of a table. `args` holds whatever the table's `measure` needs; `files` are the inputs."""

    name: str
    args: tuple
    files: tuple


@lru_cache(maxsize=None)
def file_hash(path):
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()[:16]


@lru_cache(maxsize=None)
def program_hash():
    """Of this package: rows measured by other definitions are not used again."""
    files = sorted(Path(__file__).parent.rglob("*.py"))
    return hashlib.sha256(b"".join(path.read_bytes() for path in files if path.name not in ("report.py", "cli.py", "selftest.py"))).hexdigest()[:16]


class Tool:
    """One binary. `folder` is where its outputs go; `prepared` keeps inputs that were made for several cases."""

    def __init__(self, binary, prepared):
        self.binary, self.prepared, self.folder, self.seconds = os.path.abspath(binary), prepared, None, 0.0
        self.reference = self

    @property
    def hash(self):
        return file_hash(self.binary)

    def out(self, name):
        return os.path.join(self.folder, name)

    def run(self, verb, *words):
        """Runs a verb with --json; returns its report and standard error. Exit codes other than 0 raise `Refused`."""
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        command = [self.binary, verb, *map(str, words), "--json"]
        try:
            done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=TIMEOUT_S, check=False, stdin=subprocess.DEVNULL)
        except subprocess.TimeoutExpired:
            raise Refused("timeout", f"{verb}: more than {TIMEOUT_S:.0f} s") from None
        finally:
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            self.seconds += after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        if done.returncode < 0 or done.returncode > 2 or "panicked" in done.stderr:
            raise Refused("crash", f"{verb}: exit code {done.returncode}: {done.stderr.strip()[-200:]}")
        try:
            report = json.loads(done.stdout) if done.stdout.strip() else {}
        except ValueError:
            raise Refused("crash", f"{verb}: standard output is not JSON") from None
        if done.returncode:
            error = report.get("error") if isinstance(report, dict) else None
            message = (error or {}).get("message") or done.stderr.strip().splitlines()[-1:] or [f"exit code {done.returncode}"]
            raise Refused("refused", message if isinstance(message, str) else message[0])
        return report, done.stderr

    def make(self, name, build):
        """Path of an input in `prepared`, built once by `build(temporary path)`; safe with several processes."""
        path = os.path.join(self.prepared, name)
        if not os.path.exists(path):
            os.makedirs(os.path.dirname(path), exist_ok=True)
            temporary = f"{path[:-4]}.{os.getpid()}{path[-4:]}"
            build(temporary)
            os.replace(temporary, path)
        return path


def measured_row(table, case, tool, cache, scratch):
    """The row of one case for one binary, from the cache if it is there. Never raises for a failed case."""
    files = [file_hash(path) for path in case.files]
    key = hashlib.sha256(json.dumps([tool.hash, tool.reference.hash, program_hash(), table.__name__, case.name, case.args, files]).encode()).hexdigest()[:24]
    path = os.path.join(cache, tool.hash, key + ".json")
    if os.path.exists(path):
        with open(path) as file:
            return {**json.load(file), "cached": True}
    tool.folder, tool.seconds = tempfile.mkdtemp(dir=scratch), 0.0
    row = {"case": case.name, "status": "ok", "message": "", "values": {}}
    try:
        row["values"] = {name: value for name, value in table.measure(case, tool).items() if value is not None}
        bad = [name for name, value in row["values"].items() if not math.isfinite(value)]
        if bad:
            row["values"] = {}
            raise ValueError(f"not finite: {', '.join(bad)}")
    except Refused as refused:
        row.update(status=refused.kind, message=str(refused)[:300])
    except (OSError, ValueError, KeyError, IndexError, TypeError, ZeroDivisionError) as error:
        row.update(status="unmeasured", message=f"{type(error).__name__}: {error}"[:300])
    finally:
        shutil.rmtree(tool.folder, ignore_errors=True)
    row["seconds"] = tool.seconds
    if row["status"] == "timeout":  # may be the machine's fault: tried again next time
        return row
    os.makedirs(os.path.dirname(path), exist_ok=True)
    temporary = f"{path}.{os.getpid()}"
    with open(temporary, "w") as file:
        json.dump(row, file)
    os.replace(temporary, path)
    return row
