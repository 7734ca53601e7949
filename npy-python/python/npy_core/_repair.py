"""Advice on damaged files that the command ``npy repair`` mends."""

from __future__ import annotations

import shlex
from contextlib import AbstractContextManager

from . import _native
from ._errors import NpyValueError

_COMMAND = "npy repair "
# The name of the file in messages that do not know it.
_ANY_FILE = _COMMAND + "FILE "


class repairable(AbstractContextManager[None]):
    """Adds to the error of a damaged file the command that mends it."""

    def __init__(self, path: str) -> None:
        self._path = path

    def __enter__(self) -> None:
        pass

    def __exit__(self, _: object, error: BaseException | None, __: object) -> None:
        if not isinstance(error, NpyValueError) or "read it with npy_core." in str(error):
            # A sound file of the other kind needs no repair.
            return
        if _COMMAND in str(error):
            error.args = (str(error).replace(_ANY_FILE, f"{_COMMAND}{shlex.quote(self._path)} "),)
            return
        advice = _native.repair_advice(self._path)
        if advice is not None:
            command = advice.removesuffix("; or copy the file again")
            error.args = (f"{error}; or {command} (python -m npy_core repair is the same command)",)
