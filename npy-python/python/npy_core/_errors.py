"""Exceptions: each is an `NpyError` and the exception that Python programs expect."""

from __future__ import annotations

import errno
import os
from typing import ClassVar

__all__ = [
    "NpyError",
    "NpyFileExistsError",
    "NpyFileNotFoundError",
    "NpyIsADirectoryError",
    "NpyKeyError",
    "NpyLockedError",
    "NpyMemoryError",
    "NpyOSError",
    "NpyPermissionError",
    "NpyTruncatedError",
    "NpyTypeError",
    "NpyValueError",
]


class NpyError(Exception):
    """The base of all exceptions of this package.

    Its text says what is wrong, and what to do.
    """

    def __str__(self) -> str:
        return str(self.args[0]) if self.args else ""


class named:
    """Puts the name of a file before the message of an `NpyError` that lacks it."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __enter__(self) -> None:
        pass

    def __exit__(self, _: object, error: BaseException | None, __: object) -> None:
        if isinstance(error, NpyError) and self._name not in str(error):
            error.args = (f"{self._name}: {error}",)


class NpyOSError(NpyError, OSError):
    """The system refused to read or write a file. ``errno``, ``strerror`` and ``filename`` are those of ``open``, where they are known."""

    _errno: ClassVar[int | None] = None

    def __init__(self, message: object = "", code: int | None = None, filename: str | None = None) -> None:
        super().__init__(message)
        self.errno = self._errno if code is None else code
        self.strerror = None if self.errno is None else os.strerror(self.errno)
        self.filename = filename

    def __reduce__(self) -> tuple[type[NpyOSError], tuple[str, int | None, str | None]]:
        return type(self), (str(self), self.errno, self.filename)


class NpyFileNotFoundError(NpyOSError, FileNotFoundError):
    """There is no such file."""

    _errno = errno.ENOENT


class NpyFileExistsError(NpyOSError, FileExistsError):
    """There is a file already."""

    _errno = errno.EEXIST


class NpyIsADirectoryError(NpyOSError, IsADirectoryError):
    """The path is that of a directory."""

    _errno = errno.EISDIR


class NpyPermissionError(NpyOSError, PermissionError):
    """The file may not be read or written."""

    _errno = errno.EACCES


class NpyLockedError(NpyOSError, BlockingIOError):
    """Another program appends to the file."""

    _errno = errno.EAGAIN


class NpyValueError(NpyError, ValueError):
    """The file or an argument is not what it should be."""


class NpyTypeError(NpyError, TypeError):
    """An argument has the wrong type."""


class NpyKeyError(NpyError, KeyError):
    """There is no such member or column."""


class NpyTruncatedError(NpyValueError, EOFError):
    """The file ends before its data does."""


class NpyMemoryError(NpyError, MemoryError):
    """There is not enough memory."""
