"""Files as one Arrow stream."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from . import _native
from ._errors import NpyFileNotFoundError, NpyTypeError
from ._repair import repairable

Path = str | bytes | os.PathLike[Any]


class Scan:
    """Rows of files, which libraries for tables read through Arrow's PyCapsule interface. Made by `scan`."""

    def __init__(self, paths: Sequence[Path], columns: Sequence[str] | None) -> None:
        self._stream = _native.Stream([os.fsdecode(path) for path in paths], columns)
        self._paths = list(paths)

    @property
    def paths(self) -> list[Path]:
        """The files, in the order in which they are read."""
        return list(self._paths)

    @property
    def columns(self) -> list[str]:
        """The names of the columns. That of an array without fields is ``value``."""
        with self._checked():
            return self._stream.columns()

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Returns a new stream of all rows; a requested schema is left to the consumer."""
        del requested_schema
        with self._checked():
            return self._stream.capsule()

    def _checked(self) -> AbstractContextManager[None]:
        """The first file is opened at once, the others when they are needed."""
        return repairable(os.fsdecode(self._paths[0])) if self._paths else nullcontext()

    def __repr__(self) -> str:
        return f"<Scan of {len(self._paths)} files>"


def scan(paths: Path | Iterable[Path], columns: Sequence[str] | None = None) -> Scan:
    """Reads files as one table, block by block, while another library consumes it.

    Parameters
    ----------
    paths : path, pattern or iterable of paths
        ``"dir/*.npy"``, with ``**`` for directories of any depth. The files of a pattern are sorted by name.
    columns : sequence of str, optional
        Only these fields of the records.

    Returns
    -------
    Scan
        For ``pyarrow.table``, ``polars.DataFrame``, ``pandas.DataFrame.from_arrow``, DuckDB and others.

    Examples
    --------
    >>> import numpy as np
    >>> save("t.npy", np.array([(1, 0.5), (2, 1.5)], [("id", "i4"), ("gain", "f8")]))
    >>> scan("t.npy").columns
    ['id', 'gain']
    """
    if isinstance(paths, (str, bytes, os.PathLike)):
        found: list[Any] = [paths] if os.path.exists(paths) else sorted(glob.glob(os.fsdecode(paths), recursive=True))
        if not found:
            raise NpyFileNotFoundError(f"no file matches {os.fsdecode(paths)!r}; check the pattern")
    else:
        found = list(paths)
    if isinstance(columns, str):
        raise NpyTypeError(f"columns is the text {columns!r}, but must be a list of names; use [{columns!r}]")
    return Scan(found, None if columns is None else list(columns))
