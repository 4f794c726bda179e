from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from ugoki._call import Path, Report

Order = Literal["wxyz", "xyzw"]
Floats = npt.NDArray[np.float32]

__version__: str

def limit_threads(threads: int) -> None: ...
def unfold(data: bytes) -> Clip: ...

class Clip:
    name: str
    tags: list[str]
    fps: float
    seconds: float
    num_frames: int
    num_joints: int
    tpose_frame: bool
    loop_frames: tuple[int, int] | None
    names: list[str]
    roles: list[str | None]
    parents: npt.NDArray[np.int32]
    offsets: Floats
    root: Floats
    rotation_parts: list[Floats]
    positions: Floats
    translations: dict[int, Floats]
    contacts: npt.NDArray[np.bool_]
    markers: tuple[list[str], Floats] | None
    findings: list[dict[str, Any]]
    unit_metres: float
    report: Report | None
    @classmethod
    def from_arrays(
        cls,
        rotations: npt.ArrayLike,
        root: npt.ArrayLike,
        parents: npt.ArrayLike,
        offsets: npt.ArrayLike,
        fps: float,
        *,
        order: Order,
        names: list[str] | None = None,
        roles: list[str | None] | None = None,
        contacts: npt.NDArray[np.bool_] | None = None,
        name: str = "clip",
        tags: list[str] = [],
    ) -> Clip: ...
    @classmethod
    def from_bytes(
        cls,
        data: bytes,
        contacts: npt.NDArray[np.bool_] | None = None,
        loop_frames: tuple[int, int] | None = None,
    ) -> Clip: ...
    def to_bytes(self) -> bytes: ...
    def rotations(self, *, order: Order) -> Floats: ...
    def global_rotations(self, *, order: Order) -> Floats: ...
    def replace(
        self,
        *,
        rotations: npt.ArrayLike | None = None,
        order: Order | None = None,
        root: npt.ArrayLike | None = None,
        name: str | None = None,
        tags: list[str] | None = None,
    ) -> Clip: ...
    def save(self, path: Path, **options: Any) -> Report: ...
    def __len__(self) -> int: ...
    def __getitem__(self, frames: slice) -> Clip: ...

class Pose:
    root: Floats
    positions: Floats
    def rotations(self, *, order: Order) -> Floats: ...

class Player:
    segments: list[str]
    segment: int
    finished: bool
    landed: tuple[bool, bool]
    def __init__(self, clips: list[Clip], *, links: list[tuple[int, int]] = [], segment: int = 0) -> None: ...
    def tick(self, seconds: float) -> Pose: ...
    def request(self, segment: int) -> None: ...
    def put(
        self, side: Literal["left", "right"], x: float, z: float, *, ground: float = 0.0, heading: float | None = None
    ) -> None: ...

class Follower:
    found: dict[str, Any] | None
    def __init__(
        self,
        model: str,
        performer: Clip,
        *,
        fps: float | None = None,
        method: Literal["follow", "paper", "dp"] = "follow",
        amount: float = 1.0,
        lookahead: float | None = None,
    ) -> None: ...
    def step(self, rotations: npt.ArrayLike, root: npt.ArrayLike, *, order: Order) -> Pose | None: ...
    def step_clip(self, clip: Clip, frame: int) -> Pose | None: ...

class Simulation:
    time: float
    done: bool
    fell_at: float | None
    pose: Pose
    def __init__(
        self,
        clip: Clip,
        *,
        loads: list[str] = [],
        mass: float | None = None,
        control: Literal["on", "off", "paper"] = "on",
    ) -> None: ...
    def push(self, role: str, impulse: tuple[float, float, float]) -> None: ...
    def step(self) -> Pose: ...
