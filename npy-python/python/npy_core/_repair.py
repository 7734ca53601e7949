"""Advice on damaged files that the command ``npy repair`` mends."""

from __future__ import annotations

from . import _native
from ._errors import NpyValueError

_COMMAND = "npy repair "


class repairable:
    """Adds to the error of a damaged file the command that mends it."""

    def __init__(self, path: str) -> None:
        self._path = path

    def __enter__(self) -> None:
        pass

    def __exit__(self, _: object, error: BaseException | None, __: object) -> None:
        if not isinstance(error, NpyValueError) or _COMMAND in str(error):
            return
        advice = _native.repair_advice(self._path)
        if advice is not None:
            command = advice.removesuffix("; or copy the file again")
            error.args = (f"{error}; or {command} (python -m npy_core repair is the same command)",)
