"""Writing to file objects."""

from __future__ import annotations

import io
import os
from collections.abc import Iterable
from typing import Any

from ._errors import NpyOSError, NpyTruncatedError, NpyTypeError, NpyValueError

# The bytes that are written at once; after each, Python handles signals.
_BLOCK = 8 << 20


# The first bytes of an archive with members, and of one without.
STARTS_OF_ARCHIVES = (b"PK\x03\x04", b"PK\x05\x06")


def check_is_path(path: object, call: str) -> None:
    """Refuses the contents of a file, which Python would take as its path."""
    if isinstance(path, bytes) and path.startswith((b"\x93NUMPY", *STARTS_OF_ARCHIVES)):
        raise NpyTypeError(f"bytes are a path, and these are the contents of a file; use {call}(io.BytesIO(data))")


def check_name(path: object, call: str, other: str, advice: str) -> None:
    """Refuses a path with the suffix of the other format: programs that go by the name would fail on the file."""
    if isinstance(path, (str, bytes, os.PathLike)) and os.path.splitext(os.fsdecode(path))[1].lower() == other:
        own = {".npy": ".npz", ".npz": ".npy"}[other]
        raise NpyValueError(f"{os.fsdecode(path)}: {call} writes a {own} file, and this is the name of a {other} file; {advice}, or use another name")


def write_to(file: Any, blocks: Iterable[Any]) -> None:
    """Writes bytes and arrays of bytes. A file without a buffer may take only a part of a block at a time."""
    if isinstance(file, io.TextIOBase):
        raise NpyTypeError('the file object takes text; open it in binary mode, "wb"')
    for block in blocks:
        rest = memoryview(block)
        while rest:
            part = rest[:_BLOCK]
            rest = rest[_written(file, part) :]


def _written(file: Any, part: memoryview) -> int:
    count = file.write(part)
    if count is None and not isinstance(getattr(file, "file", file), io.IOBase):
        # An object of the program that says nothing.
        return len(part)
    if not count:
        raise NpyOSError(f"the file object took none of {len(part)} bytes; write to a blocking file or to a path")
    return min(int(count), len(part))


def check_has_data(file: Any, name: str) -> None:
    """Refuses a file object of which nothing was read because it is at its end, and not because it is empty."""
    try:
        position = file.tell()
    except (AttributeError, OSError, ValueError):
        # A pipe.
        return
    if position:
        raise NpyTruncatedError(f"{name}: the file object is at its end; go back to its start with seek(0)")
