"""Motions and the command line that tests compare with."""

import json
import os
import subprocess
from pathlib import Path

import pytest

import ugoki

BINARY = os.environ.get("UGOKI_BINARY")


@pytest.fixture(scope="session")
def cache(tmp_path_factory):
    folder = tmp_path_factory.mktemp("cache")
    os.environ["XDG_CACHE_HOME"] = str(folder)
    return folder


@pytest.fixture(scope="session")
def folder(cache, tmp_path_factory):
    """A folder with motions of the sample actor as files."""
    folder = tmp_path_factory.mktemp("motions")
    for name in ("walk", "run", "wave", "squat"):
        ugoki.convert(f"sample#{name}", output=folder / f"{name}.bvh")
    return folder


@pytest.fixture(scope="session")
def walk(folder):
    return ugoki.read(folder / "walk.bvh")


@pytest.fixture(scope="session")
def run(folder):
    return ugoki.read(folder / "run.bvh")


@pytest.fixture
def command(tmp_path):
    """Runs the command line in an empty folder; gives its standard output."""
    if BINARY is None:
        pytest.skip("UGOKI_BINARY is not set: there is no command line to compare with")

    def call(*words, code=0):
        done = subprocess.run([Path(BINARY).resolve(), *map(str, words)], capture_output=True, cwd=tmp_path, check=False)
        assert done.returncode == code, done.stderr.decode()
        return done.stdout

    return call


@pytest.fixture
def document(command):
    return lambda *words, code=0: json.loads(command(*words, "--json", code=code))
