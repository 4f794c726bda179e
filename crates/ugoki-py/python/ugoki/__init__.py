"""Captured human motion into new motion.

>>> import ugoki
>>> walk = ugoki.read("walk.bvh")
>>> smooth = ugoki.filter(walk, kernel="gauss:2")
>>> smooth.positions.shape
(120, 22, 3)
>>> smooth.save("smooth.glb")

Every verb of the command line is a function (`ugoki.filter`, `ugoki.db.add`), with the same options as keyword
arguments. A motion is a `Clip`, the name of a file, or a clip of a database as `"moves.ugoki#walk"`. Without `output`
the result is returned.
"""

from __future__ import annotations

import logging as _logging

from ugoki._errors import Error
from ugoki._ugoki import Clip, Follower, Player, Pose, Simulation, __version__, limit_threads
from ugoki import _ugoki
from ugoki._call import IN_MEMORY, Report
from ugoki._verbs import *  # noqa: F403
from ugoki._verbs import __all__ as _names

__all__ = [
    "Clip", "Error", "Follower", "IN_MEMORY", "Player", "Pose", "Report", "Simulation", "__version__", "limit_threads",
    "read", *_names,
]  # fmt: skip


def read(
    source,
    *,
    format=None,
    offset=None,
    source_up=None,
    source_unit=None,
    source_fps=None,
    take=None,
    asf=None,
    markers=None,
    tpose="auto",
):
    """Reads a motion file, a clip of a database as `"moves.ugoki#walk"`, or the bytes of a file.

    :param source: Name of a file, or bytes
    :param format: The ending that the bytes would have as a file, such as "amc"; found from the bytes where they say it
    :param offset: Whether position channels replace a joint's offset or add to it: "replace", "add"
    :param source_up: Which way is up in the file: "y" or "z"; found from the body when not given
    :param source_unit: Metres per unit of the file; guessed from the body's height when not given
    :param source_fps: Frames per second of files that do not say it, or at which curves are sampled
    :param take: Which motion of a file with several: its name, or its number from 0
    :param asf: The ASF file of an AMC
    :param markers: What the markers of a C3D or TRC file are, as TOML
    :param tpose: "drop" removes the first frame
    """
    options = {
        "offset": offset, "source_up": source_up, "source_unit": source_unit, "source_fps": source_fps,
        "take": None if take is None else str(take), "asf": asf, "markers": markers, "tpose": tpose,
    }  # fmt: skip
    clip, notes = _ugoki.read(bytes(source) if isinstance(source, (bytearray, memoryview)) else source, format, options)
    for note in notes:
        _logging.getLogger("ugoki").warning("%s", note)
    return clip
