"""Whole processes: how long Python needs to start and read a motion, and how much memory."""

import subprocess
import sys

from clock import measure, row

# Prints the greatest resident memory in bytes. Asked of the process itself: `getrusage` counts its parent's too.
MEMORY = "\nfor line in open('/proc/self/status'):\n  if line.startswith('VmHWM'): print(1024 * int(line.split()[1]))"
READERS = [
    ("upc-pymotion", "from pymotion.io.bvh import BVH", "; BVH().load({path!r})"),
    ("bvhio", "import bvhio", "; bvhio.readAsBvh({path!r})"),
]


def run(code):
    """What a fresh Python prints for `code`."""
    return subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout


def whole(data, sizes):
    """Start, and reading one file, each a process of its own."""
    out = []
    for package, load, read in READERS:
        out.append(row("program.start", 1, package, "import alone", measure(lambda: run(load), most=20)))
        for frames in sizes:
            code = load + read.format(path=str(data / f"walk_{frames}.bvh"))
            out.append(row("program.info", frames, package, "import and read", measure(lambda: run(code), least=2, most=5)))
            bytes_used = float(run(code + MEMORY))
            memory = {"median_ns": bytes_used, "p99_ns": bytes_used, "runs": 1}
            out.append(row("program.memory", frames, package, "import and read", memory))
    return out
