from typing import Literal

from ugoki._call import IN_MEMORY as IN_MEMORY, Path, Report as Report
from ugoki._errors import Error as Error
from ugoki._ugoki import (
    Clip as Clip,
    Follower as Follower,
    Player as Player,
    Pose as Pose,
    Simulation as Simulation,
    __version__ as __version__,
    limit_threads as limit_threads,
)
from ugoki._verbs import *

def read(
    source: Path | bytes | bytearray | memoryview,
    *,
    format: str | None = None,
    offset: Literal["replace", "add"] | None = None,
    source_up: Literal["y", "z"] | None = None,
    source_unit: float | None = None,
    source_fps: float | None = None,
    take: str | int | None = None,
    asf: Path | None = None,
    markers: Path | None = None,
    tpose: Literal["auto", "keep", "drop"] = "auto",
) -> Clip: ...
