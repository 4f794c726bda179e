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
    rows = [("read of a BVH of %.1f MB" % (file.stat().st_size / 1e6), f"{1e3 * seconds(lambda: ugoki.read(file)):.1f} ms")]
    try:
        from pymotion.io.bvh import BVH

        def peer():
            BVH().load(str(file))

        rows.append(("the same, pymotion", f"{1e3 * seconds(peer, 3):.1f} ms"))
    except ImportError:
        pass
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
