"""Advice on damaged files that the command ``npy repair`` mends."""

from __future__ import annotations

import os
import shlex
from contextlib import AbstractContextManager

from . import _native
from ._errors import NpyTruncatedError, NpyValueError

_COMMAND = "npy repair "
# The name of the file in messages that do not know it.
_ANY_FILE = _COMMAND + "FILE "


def argument(path: str) -> str:
    """Returns a path that the command takes neither for an option nor for standard input."""
    return os.path.join(os.curdir, path) if path.startswith("-") else path


def truncated(name: str, shape: tuple[int, ...], is_fortran: bool, expected: int, found: int) -> NpyTruncatedError:
    """Returns the error of data that is shorter than its header says. The command keeps what is complete along the slowest dimension."""
    parts = "rows" if not is_fortran or len(shape) < 2 else "columns" if len(shape) == 2 else f"parts along dimension {len(shape) - 1}"
    count = 1 if not shape else shape[-1] if is_fortran else shape[0]
    has_complete = found * count >= expected and os.path.isfile(name)
    rest = f", or keep its complete {parts} with the command {_ANY_FILE}-o OUT --yes" if has_complete else ""
    return NpyTruncatedError(f"{name}: truncated: expected {expected} bytes of data, found {found}; copy or save the file again{rest}")


class repairable(AbstractContextManager[None]):
    """Adds to the error of a damaged file the command that mends it."""

    def __init__(self, path: str) -> None:
        self._path = argument(path)

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
