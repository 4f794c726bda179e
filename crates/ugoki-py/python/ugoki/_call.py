"""From the keyword arguments of a function to a verb and back."""

from __future__ import annotations

import json
import logging
import os
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeVar, Union

from ugoki import _ugoki
from ugoki._errors import Error

if TYPE_CHECKING:
    from ugoki._ugoki import Clip

#: The name of a file.
Path = Union[str, "os.PathLike[str]"]
#: A motion: a file, a clip of a database as `moves.ugoki#walk`, or one in memory.
Source = Union[str, "os.PathLike[str]", "Clip"]
_T = TypeVar("_T")
#: One, or several.
Many = Union[_T, "list[_T]", "tuple[_T, ...]"]


class Bar(Protocol):
    """A bar such as tqdm's."""

    n: float
    total: float

    def update(self, n: float) -> Any: ...


Progress = Union[Callable[[float], Any], Bar]

#: As an output: the result is returned, several as a dictionary.
IN_MEMORY = "<new>/out"

_log = logging.getLogger("ugoki")
_OPTION = re.compile(r"--([a-z][a-z-]*)")
_ENDING = re.compile(r"\.[a-z0-9]+$")


class Report(dict):
    """What a verb reports: the document that `ugoki --json` prints."""

    #: The same as text, as the command line prints it.
    text: str = ""
    #: "done", "nothing-found" or "failed": some files of a folder could not be used.
    outcome: str = "done"
    #: What the user should know; also logged by the logger "ugoki".
    notes: list[str] = []
    #: To the byte what the command line prints with `--json`.
    json: str = "{}"

    def __str__(self):
        return self.text


class Verb(NamedTuple):
    """What a call needs to know about a verb."""

    words: list[str]
    defaults: dict[str, Any]
    lists: dict[str, bool]
    renamed: dict[str, str]
    result: str | None


def report_of(ran) -> Report | list:
    document = json.loads(ran.json)
    if not isinstance(document, dict):
        document = {"items": document}
    report = Report(document)
    report.text, report.outcome, report.notes, report.json = ran.text, ran.outcome, ran.notes, ran.json
    return report


def in_python(text: str | None, renamed: dict[str, str]) -> str | None:
    """A message with the options in it as Python writes them."""
    return text and _OPTION.sub(lambda found: renamed.get(found[1], found[1].replace("-", "_")), text)


def callback(progress):
    """A function of the part done."""
    if progress is None or not hasattr(progress, "update"):
        return progress
    bar = progress
    if getattr(bar, "total", None) is None:
        bar.total = 1.0
    # Live sessions have no end to measure.
    return lambda part: part == part and bar.update(part * bar.total - bar.n)


def run(verb: Verb, arguments: dict[str, Any]):
    """Runs a verb; gives what it made in memory, else its report."""
    memory, overwrite = arguments.pop("memory"), arguments.pop("overwrite")
    progress = arguments.pop("progress")
    defaults = verb.defaults
    fields = {
        name: value
        for name, value in arguments.items()
        if value is not None and not (name in defaults and type(value) is type(defaults[name]) and value == defaults[name])
    }
    fields["verb"] = verb.words[0]
    if len(verb.words) > 1:
        fields["action"] = verb.words[1]
    if "from_" in fields:
        fields["from"] = fields.pop("from_")
    for name in verb.lists:
        if name in fields and not isinstance(fields[name], (list, tuple)):
            fields[name] = [fields[name]]
    output = fields.get("output")
    if output is None and verb.result is not None:
        fields["output"] = verb.result
    elif isinstance(output, str) and _ENDING.match(output):
        fields["output"] = f"<bytes>/out{output}"
    try:
        ran = _ugoki.run(fields, memory=memory, overwrite=overwrite, progress=callback(progress))
    except Error as error:
        message, hint = in_python(error.message, verb.renamed), in_python(error.hint, verb.renamed)
        raise Error(message, hint, error.file, error.line) from None
    for note in ran.notes:
        _log.warning("%s", in_python(note, verb.renamed))
    report = report_of(ran)
    made = ran.made
    if not made:
        return report
    for _, one in made:
        if isinstance(one, _ugoki.Clip):
            one._set_report(report)
    if len(made) == 1 and output != IN_MEMORY and verb.result != IN_MEMORY:
        return made[0][1]
    return {name.rsplit("/", 1)[-1]: one for name, one in made}
