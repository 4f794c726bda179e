"""Measures what users would pick instead of Ugoki, on the same files and networks or arrays of the same shape; writes JSON lines.

    python peers.py DATA OUT [--smoke]

DATA holds `walk_<frames>.bvh` and `body.xml`, as `ugoki` wrote them.
"""

import argparse
import json
import os
import pathlib
import sys

# One core, as ours. Before numpy is loaded, which reads it.
os.environ.update(OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1", MKL_NUM_THREADS="1")

import body
import motion
import program
import search


def tasks(data, smoke):
    """Every peer's rows, one topic after the other."""
    long = [100] if smoke else [100, 300, 1000, 3000, 10000]
    clips = [100] if smoke else [100, 300, 1000, 3000]
    yield from motion.read_bvh(data, long)
    yield from motion.kinematics(data, long)
    yield from motion.filter_box(long)
    yield from motion.blend(long)
    yield from motion.align([100] if smoke else [100, 300, 1000])
    yield from search.recognise([10] if smoke else [10, 30, 100, 300, 1000])
    yield from search.network(clips)
    yield from search.generations()
    yield from search.paths(data, clips)
    yield from body.dynamics(data / "body.xml")
    yield from program.whole(data, long)


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("data", type=pathlib.Path)
    arguments.add_argument("out", type=pathlib.Path)
    arguments.add_argument("--smoke", action="store_true", help="smallest sizes only")
    given = arguments.parse_args()
    with given.out.open("w") as out:
        for one in tasks(given.data, given.smoke):
            out.write(json.dumps(one) + "\n")
            print(f"{one['task']} {one['size']} {one['peer']}: {one['median_ns']:.0f} ns", file=sys.stderr)


if __name__ == "__main__":
    main()
