"""What goes wrong."""

from __future__ import annotations


class Error(Exception):
    """What is wrong, where, and what to do about it."""

    message: str
    #: What to do about it, where known.
    hint: str | None
    #: The file to blame, if any.
    file: str | None
    #: The line in it.
    line: int | None

    def __init__(self, message, hint=None, file=None, line=None):
        super().__init__(message, hint, file, line)
        self.message, self.hint, self.file, self.line = message, hint, file, line

    def __str__(self):
        place = f"{self.file}: " if self.file else ""
        return place + self.message + (f"; {self.hint}" if self.hint else "")
