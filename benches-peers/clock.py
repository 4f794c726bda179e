"""Median and 99th percentile of single calls."""

import importlib.metadata
import time

import numpy as np


def measure(work, seconds=2.0, least=5, most=2000):
    """Calls `work` until `seconds` have passed, `least` to `most` times; nanoseconds."""
    work()
    times = []
    end = time.perf_counter() + seconds
    while len(times) < least or (len(times) < most and time.perf_counter() < end):
        start = time.perf_counter_ns()
        work()
        times.append(time.perf_counter_ns() - start)
    return {
        "median_ns": float(np.median(times)),
        "p99_ns": float(np.quantile(times, 0.99)),
        "runs": len(times),
    }


def row(task, size, package, what, measured, per=1, part=False):
    """One line of the table; `per` is how many units of work one call does, `part` says that it does only part of the task."""
    return {
        "task": task,
        "size": size,
        "peer": f"{package} {importlib.metadata.version(package)}",
        "what": what,
        "median_ns": measured["median_ns"] / per,
        "p99_ns": measured["p99_ns"] / per,
        "runs": measured["runs"],
        "part": part,
    }
