"""Advice on damaged files that the command ``npy repair`` mends."""

from __future__ import annotations

from . import _native
from ._errors import NpyError, NpyValueError

_COMMAND = "npy repair "


class repairable:
    """Adds to the error of a damaged file the command that mends it, as `verify` says it."""

    def __init__(self, path: str) -> None:
        self._path = path

    def __enter__(self) -> None:
        pass

    def __exit__(self, _: object, error: BaseException | None, __: object) -> None:
        if not isinstance(error, NpyValueError) or _COMMAND in str(error):
            return
        try:
            problems, _imports = _native.findings(self._path)
        except NpyError:
            # The file cannot be read any more, which says nothing about its first error.
            return
        for problem in problems:
            _, command, rest = problem.partition(_COMMAND)
            if command:
                advice = rest.removesuffix("; or copy the file again")
                error.args = (f"{error}; or {command}{advice} (python -m npy_core repair is the same command)",)
                return
