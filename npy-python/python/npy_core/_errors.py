"""Exceptions: each is an `NpyError` and the exception that Python programs expect."""

from __future__ import annotations

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
    """The system refused to read or write a file."""


class NpyFileNotFoundError(NpyOSError, FileNotFoundError):
    """There is no such file."""


class NpyFileExistsError(NpyOSError, FileExistsError):
    """There is a file already."""


class NpyIsADirectoryError(NpyOSError, IsADirectoryError):
    """The path is that of a directory."""


class NpyPermissionError(NpyOSError, PermissionError):
    """The file may not be read or written."""


class NpyLockedError(NpyOSError, BlockingIOError):
    """Another program appends to the file."""


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
