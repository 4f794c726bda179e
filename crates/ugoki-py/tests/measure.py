"""Measures what `docs/results/python.md` says: reading, calls. Prints a table."""

import os
import tempfile
import time
from pathlib import Path
from statistics import median

import ugoki


def seconds(call, times=9):
    taken = []
    for _ in range(times):
        began = time.perf_counter()
        call()
        taken.append(time.perf_counter() - began)
    return median(taken)


def microseconds(call, times=20_000):
    def many():
        for _ in range(times):
            call()

    return 1e6 * seconds(many, 5) / times


def main():
    os.environ.setdefault("XDG_CACHE_HOME", tempfile.mkdtemp())
    folder = Path(tempfile.mkdtemp())
    walk = ugoki.read("sample#walk")
    # About 4 MB of BVH.
    long = ugoki.convert(walk, fps=60.0 * 10)
    while (folder / "long.bvh").exists() is False or (folder / "long.bvh").stat().st_size < 4_000_000:
        long = ugoki.convert(long, fps=long.fps * 1.2)
        long.save(folder / "long.bvh", overwrite=True)
    file = folder / "long.bvh"
    megabytes = file.stat().st_size / 1e6
    readers = {"`ugoki.read`": lambda: ugoki.read(file)}
    try:
        from pymotion.io.bvh import BVH

        readers["pymotion"] = lambda: BVH().load(str(file))
    except ImportError:
        pass
    # In turns, so that what else the machine does slows all of them.
    taken = {name: [] for name in readers}
    for _ in range(9):
        for name, read in readers.items():
            taken[name].append(seconds(read, 1))
    rows = [(f"a BVH of {megabytes:.1f} MB, {name}", f"{1e3 * median(times):.1f} ms") for name, times in taken.items()]
    rows += [
        ("`clip.fps`", f"{microseconds(lambda: walk.fps):.2f} µs"),
        ("`clip.name`", f"{microseconds(lambda: walk.name):.2f} µs"),
        ("`clip.rotation_parts`", f"{microseconds(lambda: walk.rotation_parts):.2f} µs"),
        ("`clip.rotations(order=…)`, %d frames" % len(walk), f"{microseconds(lambda: walk.rotations(order='wxyz'), 500):.1f} µs"),
    ]
    player = ugoki.Player([walk])
    rows.append(("`player.tick(0)`", f"{microseconds(lambda: player.tick(0.0), 5000):.2f} µs"))
    one = walk[:1]
    rows.append(("a verb: `convert` of one frame", f"{microseconds(lambda: ugoki.convert(one), 500):.1f} µs"))
    print("| what | median |\n|---|---|")
    for what, value in rows:
        print(f"| {what} | {value} |")


if __name__ == "__main__":
    main()
